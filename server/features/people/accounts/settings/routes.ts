// These routes are private to the web application.
import { forbidIntegrations } from '../../../../access/actor.ts'
import { one } from '../../../../http/body.ts'
import { hal, sendHal } from '../../../../http/hal.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { SettingsOfAccount, AccountSettingsChange } from './schema.ts'
import { changeAccountSettings, readAccountSettings } from './settings.ts'

const path = '/web/v1/account-settings'

export function accountSettingsRoutes(app: App, { config, database }: Kontor): void {
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const
  const settings = { 200: hal('The settings of the account', SettingsOfAccount) }

  app.get(path, { ...admins, schema: { response: settings } }, async ({ actor }, reply) =>
    sendHal(reply, await readAccountSettings(database, actor, config)),
  )

  app.patch(
    path,
    {
      ...admins,
      schema: { body: one(AccountSettingsChange, { unknownKeys: 'reject' }), response: settings },
    },
    async ({ actor, body }, reply) =>
      sendHal(
        reply,
        await database.transaction((tx) => changeAccountSettings(tx, actor, body, config)),
      ),
  )
}
