// The answers of the steps of the setup that were given already. There is no account to keep them in,
// so the browser keeps them in a cookie that only this server can read: a reload goes on where the
// person was, a restart of the server loses nothing, and a setup that nobody ends leaves nothing.
import { readCookie, setCookie } from '../../../../http/cookies.ts'
import type { Kontor } from '../../../../kontor.ts'
import { fromBase64url } from '../../../../secrets.ts'
import type { NewSetup } from '../schema.ts'
import type { AccountAnswers } from '../setup.ts'

/** The answers of the first step, and of the second where it was given. */
export interface SetupDraft {
  account: AccountAnswers
  process?: Pick<NewSetup, 'sales_process' | 'customers'>
}

const cookie = 'kontor_setup'
const path = '/setup'
/** It holds a password, so it lasts no longer than a setup takes. */
const draftSeconds = 3600
const purpose = 'a setup that is going on'

/** The answers so far; undefined before the first step, and where the cookie is not good. */
export function readDraft(kontor: Kontor, cookies: string | undefined): SetupDraft | undefined {
  const sealed = readCookie(cookies, cookie)
  if (sealed === undefined) return undefined
  try {
    const kept = JSON.parse(kontor.secrets.decrypt(fromBase64url(sealed)!)) as {
      purpose: string
      until: number
      draft: SetupDraft
    }
    return kept.purpose === purpose && kept.until > kontor.now() ? kept.draft : undefined
  } catch {
    // Not sealed by this server, or changed.
    return undefined
  }
}

/** A `Set-Cookie` header that keeps the answers; without them, one that forgets them. */
export function keepDraft(kontor: Kontor, draft: SetupDraft | undefined): string {
  if (!draft) return setCookie(kontor, cookie, '', { path, maxAge: 0 })
  const kept = JSON.stringify({ draft, purpose, until: kontor.now() + draftSeconds })
  const sealed = kontor.secrets.encrypt(kept).toString('base64url')
  return setCookie(kontor, cookie, sealed, { path, maxAge: draftSeconds })
}
