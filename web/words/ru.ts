import apiKeys from './ru/api-keys.json' with { type: 'json' }
import board from './ru/board.json' with { type: 'json' }
import channels from './ru/channels.json' with { type: 'json' }
import checklist from './ru/checklist.json' with { type: 'json' }
import create from './ru/create.json' with { type: 'json' }
import faults from './ru/faults.json' with { type: 'json' }
import filter from './ru/filter.json' with { type: 'json' }
import groups from './ru/groups.json' with { type: 'json' }
import home from './ru/home.json' with { type: 'json' }
import integrations from './ru/integrations.json' with { type: 'json' }
import jobs from './ru/jobs.json' with { type: 'json' }
import notifications from './ru/notifications.json' with { type: 'json' }
import preferences from './ru/preferences.json' with { type: 'json' }
import profile from './ru/profile.json' with { type: 'json' }
import roles from './ru/roles.json' with { type: 'json' }
import security from './ru/security.json' with { type: 'json' }
import settings from './ru/settings.json' with { type: 'json' }
import shell from './ru/shell.json' with { type: 'json' }
import ui from './ru/ui.json' with { type: 'json' }
import unsorted from './ru/unsorted.json' with { type: 'json' }
import users from './ru/users.json' with { type: 'json' }
import views from './ru/views.json' with { type: 'json' }
import webhooks from './ru/webhooks.json' with { type: 'json' }

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
