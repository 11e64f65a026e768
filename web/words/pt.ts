import home from './pt/home.json' with { type: 'json' }
import notifications from './pt/notifications.json' with { type: 'json' }
import record from './pt/record.json' with { type: 'json' }
import settings from './pt/settings.json' with { type: 'json' }
import shell from './pt/shell.json' with { type: 'json' }
import ui from './pt/ui.json' with { type: 'json' }

export default {
  home,
  notifications,
  record,
  settings,
  shell,
  ui,
}
