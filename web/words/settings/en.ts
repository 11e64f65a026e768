// The texts of settings, which come with their first page (words.tsx).
import apiKeys from '../en/api-keys.json' with { type: 'json' }
import catalogs from '../en/catalogs.json' with { type: 'json' }
import channels from '../en/channels.json' with { type: 'json' }
import colors from '../en/colors.json' with { type: 'json' }
import drawing from '../en/drawing.json' with { type: 'json' }
import customers from '../en/customers.json' with { type: 'json' }
import general from '../en/general.json' with { type: 'json' }
import fields from '../en/fields.json' with { type: 'json' }
import groups from '../en/groups.json' with { type: 'json' }
import integrations from '../en/integrations.json' with { type: 'json' }
import pipelines from '../en/pipelines.json' with { type: 'json' }
import lossReasons from '../en/loss-reasons.json' with { type: 'json' }
import profile from '../en/profile.json' with { type: 'json' }
import roles from '../en/roles.json' with { type: 'json' }
import security from '../en/security.json' with { type: 'json' }
import tags from '../en/tags.json' with { type: 'json' }
import taskTypes from '../en/task-types.json' with { type: 'json' }
import templates from '../en/templates.json' with { type: 'json' }
import users from '../en/users.json' with { type: 'json' }
import webhooks from '../en/webhooks.json' with { type: 'json' }

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
