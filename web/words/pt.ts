import groups from './pt/groups.json' with { type: 'json' }
import home from './pt/home.json' with { type: 'json' }
import notifications from './pt/notifications.json' with { type: 'json' }
import record from './pt/record.json' with { type: 'json' }
import roles from './pt/roles.json' with { type: 'json' }
import settings from './pt/settings.json' with { type: 'json' }
import shell from './pt/shell.json' with { type: 'json' }
import ui from './pt/ui.json' with { type: 'json' }
import users from './pt/users.json' with { type: 'json' }

export default {
  groups,
  home,
  notifications,
  record,
  roles,
  settings,
  shell,
  ui,
  users,
}
