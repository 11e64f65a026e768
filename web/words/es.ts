import apiKeys from './es/api-keys.json' with { type: 'json' }
import board from './es/board.json' with { type: 'json' }
import channels from './es/channels.json' with { type: 'json' }
import checklist from './es/checklist.json' with { type: 'json' }
import create from './es/create.json' with { type: 'json' }
import faults from './es/faults.json' with { type: 'json' }
import filter from './es/filter.json' with { type: 'json' }
import groups from './es/groups.json' with { type: 'json' }
import home from './es/home.json' with { type: 'json' }
import integrations from './es/integrations.json' with { type: 'json' }
import jobs from './es/jobs.json' with { type: 'json' }
import notifications from './es/notifications.json' with { type: 'json' }
import preferences from './es/preferences.json' with { type: 'json' }
import profile from './es/profile.json' with { type: 'json' }
import roles from './es/roles.json' with { type: 'json' }
import security from './es/security.json' with { type: 'json' }
import settings from './es/settings.json' with { type: 'json' }
import shell from './es/shell.json' with { type: 'json' }
import ui from './es/ui.json' with { type: 'json' }
import unsorted from './es/unsorted.json' with { type: 'json' }
import users from './es/users.json' with { type: 'json' }
import views from './es/views.json' with { type: 'json' }
import webhooks from './es/webhooks.json' with { type: 'json' }

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
