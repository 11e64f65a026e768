// The texts of settings, which come with their first page (words.tsx).
import apiKeys from '../ru/api-keys.json' with { type: 'json' }
import catalogs from '../ru/catalogs.json' with { type: 'json' }
import channels from '../ru/channels.json' with { type: 'json' }
import colors from '../ru/colors.json' with { type: 'json' }
import drawing from '../ru/drawing.json' with { type: 'json' }
import customers from '../ru/customers.json' with { type: 'json' }
import general from '../ru/general.json' with { type: 'json' }
import fields from '../ru/fields.json' with { type: 'json' }
import groups from '../ru/groups.json' with { type: 'json' }
import integrations from '../ru/integrations.json' with { type: 'json' }
import pipelines from '../ru/pipelines.json' with { type: 'json' }
import lossReasons from '../ru/loss-reasons.json' with { type: 'json' }
import profile from '../ru/profile.json' with { type: 'json' }
import roles from '../ru/roles.json' with { type: 'json' }
import security from '../ru/security.json' with { type: 'json' }
import tags from '../ru/tags.json' with { type: 'json' }
import taskTypes from '../ru/task-types.json' with { type: 'json' }
import templates from '../ru/templates.json' with { type: 'json' }
import users from '../ru/users.json' with { type: 'json' }
import webhooks from '../ru/webhooks.json' with { type: 'json' }

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
