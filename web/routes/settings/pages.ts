// The pages of settings, one line for each, in the order of the list. A page has its texts in
// words/<language>/settings.json: `pages.<path>` is its name, `find.<path>` what else people look
// for when they mean it. Their icons come with the list (icons.ts).
import { lazyRouteComponent, useParams } from '@tanstack/react-router'
import type { RouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { part } from '../../data/rest.ts'
import type en from '../../words/en.ts'

export const groups = ['personal', 'account', 'connect'] as const

export interface SettingsPage {
  /** The page is at `/settings/<path>`. */
  path: keyof typeof en.settings.pages
  group: (typeof groups)[number]
  /** Of the others, some show users who are no administrators what there is (reading.tsx). */
  isForAdmins: boolean
  screen: RouteComponent
  /** The screen at `/settings/<path>/<id>`. */
  oneScreen?: RouteComponent
}

/** The address of settings, of a page, or of one record of it. */
export function settingsAt(page?: SettingsPage['path'], id?: string | number): string {
  return ['/settings', page, id].filter((each) => each !== undefined).join('/')
}

/** The id of the record in the address. */
export const useRecordId = (): string => (useParams({ strict: false }) as { id?: string }).id ?? ''

const page = <Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): RouteComponent => lazyRouteComponent(part(name, load), name)

export const pages: SettingsPage[] = [
  {
    path: 'profile',
    group: 'personal',
    isForAdmins: false,
    screen: page(() => import('./profile.tsx'), 'ProfilePage'),
  },
  {
    path: 'preferences',
    group: 'personal',
    isForAdmins: false,
    screen: page(() => import('./preferences.tsx'), 'PreferencesPage'),
  },
  {
    path: 'security',
    group: 'personal',
    isForAdmins: false,
    screen: page(() => import('./security.tsx'), 'Security'),
  },
  {
    path: 'general',
    group: 'account',
    isForAdmins: true,
    screen: page(() => import('./general.tsx'), 'General'),
  },
  {
    path: 'users',
    group: 'account',
    isForAdmins: true,
    screen: page(() => import('./users.tsx'), 'Users'),
    oneScreen: page(() => import('./user.tsx'), 'UserPage'),
  },
  {
    path: 'groups',
    group: 'account',
    isForAdmins: true,
    screen: page(() => import('./groups.tsx'), 'Groups'),
  },
  {
    path: 'roles',
    group: 'account',
    isForAdmins: true,
    screen: page(() => import('./roles.tsx'), 'Roles'),
    oneScreen: page(() => import('./role.tsx'), 'RolePage'),
  },
  {
    path: 'pipelines',
    group: 'account',
    isForAdmins: false,
    screen: page(() => import('./pipelines.tsx'), 'Pipelines'),
    oneScreen: page(() => import('./pipeline.tsx'), 'PipelinePage'),
  },
  {
    path: 'loss-reasons',
    group: 'account',
    isForAdmins: false,
    screen: page(() => import('./loss-reasons.tsx'), 'LossReasons'),
  },
  {
    path: 'task-types',
    group: 'account',
    isForAdmins: false,
    screen: page(() => import('./task-types.tsx'), 'TaskTypes'),
  },
  {
    path: 'templates',
    group: 'account',
    isForAdmins: true,
    screen: page(() => import('./templates.tsx'), 'MessageTemplates'),
  },
  {
    path: 'customers',
    group: 'account',
    isForAdmins: true,
    screen: page(() => import('./customers.tsx'), 'CustomersPage'),
  },
  {
    path: 'fields',
    group: 'account',
    isForAdmins: false,
    screen: page(() => import('./fields.tsx'), 'FieldsPage'),
    oneScreen: page(() => import('./fields.tsx'), 'FieldsOfEntity'),
  },
  {
    path: 'catalogs',
    group: 'account',
    isForAdmins: true,
    screen: page(() => import('./catalogs.tsx'), 'CatalogsPage'),
    oneScreen: page(() => import('./catalog.tsx'), 'CatalogPage'),
  },
  {
    path: 'tags',
    group: 'account',
    isForAdmins: true,
    screen: page(() => import('./tags.tsx'), 'TagsPage'),
    oneScreen: page(() => import('./tags.tsx'), 'TagsOfType'),
  },
  {
    path: 'integrations',
    group: 'connect',
    isForAdmins: true,
    screen: page(() => import('./integrations.tsx'), 'Integrations'),
    oneScreen: page(() => import('./integration.tsx'), 'IntegrationPage'),
  },
  {
    path: 'webhooks',
    group: 'connect',
    isForAdmins: true,
    screen: page(() => import('./webhooks.tsx'), 'Webhooks'),
    oneScreen: page(() => import('./webhook.tsx'), 'WebhookPage'),
  },
  {
    path: 'api-keys',
    group: 'connect',
    isForAdmins: false,
    screen: page(() => import('./api-keys.tsx'), 'ApiKeys'),
  },
  {
    path: 'channels',
    group: 'connect',
    isForAdmins: true,
    screen: page(() => import('./channels.tsx'), 'Channels'),
    oneScreen: page(() => import('./channel.tsx'), 'ChannelPage'),
  },
]
