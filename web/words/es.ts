import home from './es/home.json' with { type: 'json' }
import notifications from './es/notifications.json' with { type: 'json' }
import record from './es/record.json' with { type: 'json' }
import settings from './es/settings.json' with { type: 'json' }
import shell from './es/shell.json' with { type: 'json' }
import ui from './es/ui.json' with { type: 'json' }

export default {
  home,
  notifications,
  record,
  settings,
  shell,
  ui,
}
