// Checks of integrations. A redirect address receives codes, so a public integration needs https. A
// logo must be an image whatever its declared type is, because browsers show it.
import { badRequest, invalidFor } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import type { StoredIntegration } from './queries.ts'
import { scopes } from './schema.ts'
import type { ChangedIntegration } from './schema.ts'

const mostLogoBytes = 200_000

/**
 * The columns of a change. Throws a 400 problem that lists all faults. `isPublic`: whether the
 * integration is public after the change.
 */
export function stored(
  { logo, ...draft }: ChangedIntegration,
  isPublic: boolean,
): StoredIntegration {
  const image = typeof logo === 'string' ? imageIn(logo) : undefined
  const faults: Fault[] = []
  const refuse = (path: string, detail: string | undefined) =>
    detail !== undefined &&
    faults.push({ code: path === 'logo' ? 'InvalidFormat' : 'InvalidUrl', path, detail })
  if (draft.redirect_uri !== undefined)
    refuse('redirect_uri', redirectFault(draft.redirect_uri, isPublic))
  if (typeof draft.uninstall_hook === 'string')
    refuse('uninstall_hook', addressFault(draft.uninstall_hook))
  for (const [index, origin] of (draft.origins ?? []).entries())
    refuse(`origins.${index}`, originFault(origin))
  if (typeof logo === 'string' && !image)
    refuse('logo', 'This is not a PNG, JPEG or GIF image of at most 200 kB as a data: address.')
  if (faults.length > 0) throw invalidFor(...faults)
  return {
    ...draft,
    ...(draft.scopes && { scopes: scopes.filter((scope) => draft.scopes!.includes(scope)) }),
    ...(draft.origins && { origins: [...new Set(draft.origins)] }),
    ...(logo !== undefined && { logo: image?.bytes ?? null, logo_type: image?.type ?? null }),
  }
}

/** Parses comma-separated scopes. Throws a 400 problem for an unknown one. */
export function readScopes(text: string): NonNullable<ChangedIntegration['scopes']> {
  return text.split(',').map((name) => {
    const scope = scopes.find((each) => each === name.trim())
    if (!scope) throw badRequest(`"${name}" is no scope; there are ${scopes.join(', ')}`)
    return scope
  })
}

/** Why a text cannot be a redirect address; undefined if it can. */
function redirectFault(text: string, isPublic: boolean): string | undefined {
  const fault = addressFault(text)
  if (fault !== undefined) return fault
  const { protocol, hostname, hash } = new URL(text)
  if (hash || text.includes('#')) return 'A redirect address has no fragment (#).'
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (isPublic && protocol !== 'https:' && !isLocal)
    return 'The redirect address of a public integration begins with https://.'
  return undefined
}

/** Why a text cannot be the origin of a page. Browsers send it in one spelling, which is compared. */
function originFault(text: string): string | undefined {
  const isOrigin =
    /^https?:\/\/(?:[a-z\d._-]+|\[[\da-f:.]+\])(?::\d+)?$/.test(text) &&
    URL.canParse(text) &&
    new URL(text).origin === text
  if (isOrigin) return undefined
  return `"${text.slice(0, 100)}" is no origin like https://app.example.com: scheme, host and a port that is not the usual one, in small letters, without a path.`
}

function addressFault(text: string): string | undefined {
  const url =
    /^https?:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url) return `"${text.slice(0, 100)}" is no whole address like https://example.com/oauth.`
  return url.username || url.password ? 'The address must not hold a password.' : undefined
}

const beginnings: [type: string, bytes: number[]][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
]

/** The image in a data URL; the first bytes decide its type. */
function imageIn(text: string): { type: string; bytes: Buffer } | undefined {
  const [, base64] = /^data:image\/(?:png|jpe?g|gif);base64,([A-Za-z\d+/]+={0,2})$/.exec(text) ?? []
  if (base64 === undefined) return undefined
  const bytes = Buffer.from(base64, 'base64')
  const [type] =
    beginnings.find(([, beginning]) => beginning.every((byte, index) => bytes[index] === byte)) ??
    []
  return type !== undefined && bytes.length <= mostLogoBytes ? { type, bytes } : undefined
}
