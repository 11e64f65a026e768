// The profile of a user, and the preferences for the web application.
import type { Actor } from '../../../access/actor.ts'
import { forgetAccess } from '../../../access/remembered.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { invalidFor, invalidValue } from '../../../http/problem.ts'
import { nameFault } from '../users/users.ts'
import * as queries from './queries.ts'
import type { Preferences, PreferencesChange, Profile, ProfileChange } from './schema.ts'

export async function readProfile(reader: Reader, actor: Actor): Promise<Profile> {
  return (await reader.row<Profile>(queries.profileOf(actor)))!
}

/** Changes the own profile and answers it. Throws a 400 problem for a name that is none. */
export async function changeProfile(tx: Tx, actor: Actor, change: ProfileChange): Promise<Profile> {
  const name = change.name?.trim()
  const fault = name === undefined ? undefined : nameFault(name)
  if (fault) throw invalidFor(fault)
  const phone_number =
    change.phone_number === undefined ? undefined : change.phone_number?.trim() || null
  await tx.rows(queries.updateProfile(actor, { ...change, name, phone_number }))
  await forgetAccess(tx)
  return readProfile(tx, actor)
}

const defaults: Preferences = {
  theme: 'system',
  density: 'normal',
  start_page: '/leads',
  shortcuts: true,
  enter_sends: true,
  sounds: true,
  reduced_motion: false,
  date_format: 'language',
  time_zone: null,
  delayed_action_seconds: 5,
  rail_pinned: true,
  first_steps: true,
}

/** The preferences of the actor, filled up with the defaults. */
export async function readPreferences(reader: Reader, actor: Actor): Promise<Preferences> {
  const stored = await reader.row<{ settings: PreferencesChange }>(queries.preferencesOf(actor))
  return filledUp(stored?.settings)
}

/** Changes preferences and answers all of them. Throws a 400 problem for an unknown time zone. */
export async function changePreferences(
  tx: Tx,
  actor: Actor,
  change: PreferencesChange,
): Promise<Preferences> {
  if (change.time_zone != null && !isTimeZone(change.time_zone))
    throw invalidValue('NotSupportedChoice', 'time_zone', 'There is no such time zone.')
  const stored = await tx.row<{ settings: PreferencesChange }>(
    queries.putPreferences(actor, change),
  )
  return filledUp(stored!.settings)
}

/** A setting of an earlier version that is none any more is left out. */
function filledUp(stored: PreferencesChange = {}): Preferences {
  const known = Object.entries(stored).filter(([name]) => Object.hasOwn(defaults, name))
  return { ...defaults, ...(Object.fromEntries(known) as PreferencesChange) }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
