import apiKeys from './en/api-keys.json' with { type: 'json' }
import board from './en/board.json' with { type: 'json' }
import channels from './en/channels.json' with { type: 'json' }
import checklist from './en/checklist.json' with { type: 'json' }
import create from './en/create.json' with { type: 'json' }
import faults from './en/faults.json' with { type: 'json' }
import filter from './en/filter.json' with { type: 'json' }
import groups from './en/groups.json' with { type: 'json' }
import home from './en/home.json' with { type: 'json' }
import integrations from './en/integrations.json' with { type: 'json' }
import jobs from './en/jobs.json' with { type: 'json' }
import notifications from './en/notifications.json' with { type: 'json' }
import preferences from './en/preferences.json' with { type: 'json' }
import profile from './en/profile.json' with { type: 'json' }
import roles from './en/roles.json' with { type: 'json' }
import security from './en/security.json' with { type: 'json' }
import settings from './en/settings.json' with { type: 'json' }
import shell from './en/shell.json' with { type: 'json' }
import ui from './en/ui.json' with { type: 'json' }
import unsorted from './en/unsorted.json' with { type: 'json' }
import users from './en/users.json' with { type: 'json' }
import views from './en/views.json' with { type: 'json' }
import webhooks from './en/webhooks.json' with { type: 'json' }

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
