import { TOTP } from 'otpauth'

/** The code that an authenticator app shows for a secret at a time, in Unix seconds. */
export const codeAt = (secret: string, at: number): string =>
  new TOTP({ secret }).generate({ timestamp: at * 1000 })
