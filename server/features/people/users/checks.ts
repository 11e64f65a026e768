// Checks the names and passwords of users (interface: User).
import type { Tx } from '../../../database/connect.ts'
import type { Actor } from '../../../access/actor.ts'
import { faultAt } from '../../../http/problem.ts'
import type { Fault, Said } from '../../../http/problem.ts'
import { statusFaults } from '../../definitions/pipelines/pipelines.ts'
import type { JoiningUser, UserChange, UserDraft } from './schema.ts'

/**
 * The state of the account: taken e-mails of the batch, groups and roles, and the default language.
 */
export interface UserContext {
  language: string
  emails: string[]
  groups: number[]
  roles: number[]
}

export async function newUserFaults(
  tx: Tx,
  actor: Actor,
  { groups, roles }: UserContext,
  { name, password, rights }: UserDraft,
  isTaken: boolean,
): Promise<Fault[]> {
  const { role_id, group_id, is_free } = rights
  const needed = is_free || role_id ? [] : (['leads', 'contacts', 'companies', 'tasks'] as const)
  const missing = needed.filter((kind) => rights[kind] === undefined)
  return some([
    nameFault(name),
    isTaken && takenEmail,
    passwordFault(password),
    ...missing.map((kind) => faultAt(`rights.${kind}`, 'FieldMissing', 'This field is missing.')),
    !is_free && role_id && !roles.includes(role_id) && noSuch('rights.role_id', 'role', role_id),
    !is_free &&
      group_id &&
      !groups.includes(group_id) &&
      noSuch('rights.group_id', 'group', group_id),
    ...(is_free
      ? []
      : await statusFaults(tx, actor, 'rights.status_rights', rights.status_rights ?? [])),
  ])
}

/**
 * Checks a user; `role` is the role after the change. Commands on the server may set any name and
 * password.
 */
export async function changeFaults(
  tx: Tx,
  actor: Actor,
  { groups, roles }: UserContext,
  { name, group_id, role_id, rights }: UserChange,
  role: number | null,
  by: 'person' | 'server',
): Promise<Fault[]> {
  const ofRole = `The rights of this user are those of role ${role}; set role_id to null to give others.`
  return some([
    by === 'person' && name !== undefined && nameFault(name),
    group_id && !groups.includes(group_id) && noSuch('group_id', 'group', group_id),
    role_id && !roles.includes(role_id) && noSuch('role_id', 'role', role_id),
    rights && role !== null && faultAt('rights', 'FieldNotExpected', ofRole),
    ...(await statusFaults(tx, actor, 'rights.status_rights', rights?.status_rights ?? [])),
  ])
}

/** The faults of somebody who is invited, or accepts. */
export function joiningFaults(
  { emails, groups, roles }: UserContext,
  { email, name, group_id, role_id }: JoiningUser,
): Fault[] {
  return some([
    name !== undefined && nameFault(name),
    emails.includes(email) && takenEmail,
    role_id && !roles.includes(role_id) && noSuch('role_id', 'role', role_id),
    group_id && !groups.includes(group_id) && noSuch('group_id', 'group', group_id),
  ])
}

const takenEmail: Fault = {
  code: 'NotUnique',
  path: 'email',
  detail: 'Another user has this e-mail.',
}
function some(faults: (Fault | false | 0 | null | undefined)[]): Fault[] {
  return faults.filter((fault): fault is Fault => typeof fault === 'object' && fault !== null)
}

/** Letters of any script, digits, and these other characters only. */
const nameCharacters = /^[\p{L}\p{M}\p{N} .@_-]*$/u
/** Names have no `:` and `/`, so a web address in a name can only look like this. */
const address =
  /(?:^|[\s@])(?:https?|www)\.?|\.(?:com|net|org|info|biz|io|dev|app|ru|de|eu|uk|us|xyz|site|online|shop)(?:\s|$)/iu

/** The fault of a name that a person gives. */
export function nameFault(name: string): Fault | undefined {
  const fault = (...said: Said) => faultAt('name', ...said)
  if (name.trim() === '') return fault('NotBlank', 'This value should not be blank.')
  if (/:\/\//.test(name) || (address.test(name) && !name.includes('@')))
    return fault('InvalidFormat', 'A name cannot hold a link.')
  if (!nameCharacters.test(name))
    return fault(
      'InvalidFormat',
      'A name is made of letters, digits, spaces and the characters . @ - _',
    )
  return undefined
}

function passwordFault(password: string): Fault | undefined {
  if (/\p{Nd}/u.test(password) && /\p{Ll}/u.test(password) && /\p{Lu}/u.test(password))
    return undefined
  const detail = 'A password needs a digit, a lower-case letter and an upper-case letter.'
  return { code: 'InvalidFormat', path: 'password', detail }
}

function noSuch(path: string, noun: string, id: number): Fault {
  return { code: 'NotSupportedChoice', path, detail: `There is no ${noun} ${id}.` }
}
