// The texts of settings, which come with their first page (words.tsx).
import apiKeys from '../es/api-keys.json' with { type: 'json' }
import catalogs from '../es/catalogs.json' with { type: 'json' }
import channels from '../es/channels.json' with { type: 'json' }
import colors from '../es/colors.json' with { type: 'json' }
import drawing from '../es/drawing.json' with { type: 'json' }
import customers from '../es/customers.json' with { type: 'json' }
import general from '../es/general.json' with { type: 'json' }
import fields from '../es/fields.json' with { type: 'json' }
import groups from '../es/groups.json' with { type: 'json' }
import integrations from '../es/integrations.json' with { type: 'json' }
import pipelines from '../es/pipelines.json' with { type: 'json' }
import lossReasons from '../es/loss-reasons.json' with { type: 'json' }
import profile from '../es/profile.json' with { type: 'json' }
import roles from '../es/roles.json' with { type: 'json' }
import security from '../es/security.json' with { type: 'json' }
import tags from '../es/tags.json' with { type: 'json' }
import taskTypes from '../es/task-types.json' with { type: 'json' }
import templates from '../es/templates.json' with { type: 'json' }
import users from '../es/users.json' with { type: 'json' }
import webhooks from '../es/webhooks.json' with { type: 'json' }

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
