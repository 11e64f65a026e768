// The texts of settings, which come with their first page (words.tsx).
import apiKeys from '../pt/api-keys.json' with { type: 'json' }
import catalogs from '../pt/catalogs.json' with { type: 'json' }
import channels from '../pt/channels.json' with { type: 'json' }
import colors from '../pt/colors.json' with { type: 'json' }
import drawing from '../pt/drawing.json' with { type: 'json' }
import customers from '../pt/customers.json' with { type: 'json' }
import general from '../pt/general.json' with { type: 'json' }
import fields from '../pt/fields.json' with { type: 'json' }
import groups from '../pt/groups.json' with { type: 'json' }
import integrations from '../pt/integrations.json' with { type: 'json' }
import pipelines from '../pt/pipelines.json' with { type: 'json' }
import lossReasons from '../pt/loss-reasons.json' with { type: 'json' }
import profile from '../pt/profile.json' with { type: 'json' }
import roles from '../pt/roles.json' with { type: 'json' }
import security from '../pt/security.json' with { type: 'json' }
import tags from '../pt/tags.json' with { type: 'json' }
import taskTypes from '../pt/task-types.json' with { type: 'json' }
import templates from '../pt/templates.json' with { type: 'json' }
import users from '../pt/users.json' with { type: 'json' }
import webhooks from '../pt/webhooks.json' with { type: 'json' }

export default {
  apiKeys,
  catalogs,
  channels,
  colors,
  drawing,
  customers,
  general,
  fields,
  groups,
  integrations,
  pipelines,
  lossReasons,
  profile,
  roles,
  security,
  tags,
  taskTypes,
  templates,
  users,
  webhooks,
}
