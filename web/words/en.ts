import home from './en/home.json' with { type: 'json' }
import notifications from './en/notifications.json' with { type: 'json' }
import record from './en/record.json' with { type: 'json' }
import settings from './en/settings.json' with { type: 'json' }
import shell from './en/shell.json' with { type: 'json' }
import ui from './en/ui.json' with { type: 'json' }

export default {
  home,
  notifications,
  record,
  settings,
  shell,
  ui,
}
