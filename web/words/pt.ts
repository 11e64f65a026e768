import apiKeys from './pt/api-keys.json' with { type: 'json' }
import board from './pt/board.json' with { type: 'json' }
import channels from './pt/channels.json' with { type: 'json' }
import checklist from './pt/checklist.json' with { type: 'json' }
import create from './pt/create.json' with { type: 'json' }
import faults from './pt/faults.json' with { type: 'json' }
import filter from './pt/filter.json' with { type: 'json' }
import groups from './pt/groups.json' with { type: 'json' }
import home from './pt/home.json' with { type: 'json' }
import integrations from './pt/integrations.json' with { type: 'json' }
import jobs from './pt/jobs.json' with { type: 'json' }
import notifications from './pt/notifications.json' with { type: 'json' }
import preferences from './pt/preferences.json' with { type: 'json' }
import profile from './pt/profile.json' with { type: 'json' }
import roles from './pt/roles.json' with { type: 'json' }
import security from './pt/security.json' with { type: 'json' }
import settings from './pt/settings.json' with { type: 'json' }
import shell from './pt/shell.json' with { type: 'json' }
import ui from './pt/ui.json' with { type: 'json' }
import unsorted from './pt/unsorted.json' with { type: 'json' }
import users from './pt/users.json' with { type: 'json' }
import views from './pt/views.json' with { type: 'json' }
import webhooks from './pt/webhooks.json' with { type: 'json' }

export default {
  apiKeys,
  board,
  channels,
  checklist,
  create,
  faults,
  filter,
  groups,
  home,
  integrations,
  jobs,
  notifications,
  preferences,
  profile,
  roles,
  security,
  settings,
  shell,
  ui,
  unsorted,
  users,
  views,
  webhooks,
}
