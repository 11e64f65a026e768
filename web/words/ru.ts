import home from './ru/home.json' with { type: 'json' }
import notifications from './ru/notifications.json' with { type: 'json' }
import record from './ru/record.json' with { type: 'json' }
import settings from './ru/settings.json' with { type: 'json' }
import shell from './ru/shell.json' with { type: 'json' }
import ui from './ru/ui.json' with { type: 'json' }

export default {
  home,
  notifications,
  record,
  settings,
  shell,
  ui,
}
