import { Type } from '../../../../http/type.ts'
import { Nullable } from '../../../../http/types.ts'

/** 256 KiB. */
export const mostAccountLogoBytes = 262_144

const Version = Type.String({ maxLength: 64, description: 'Names the version of the logo' })

export const AccountLogo = Type.Object({ logo: Version })

/** The version that the page showed. */
export const LogoRemoval = Type.Object(
  { before: Type.Optional(Version) },
  { additionalProperties: false },
)

export const NewAccountLogo = Type.Object(
  {
    content: Type.String({
      // The letters of Base64, and what stands before them.
      maxLength: Math.ceil(mostAccountLogoBytes / 3) * 4 + 64,
      description: 'A data URL: data:image/png;base64,…, or jpeg or webp, at most 256 KiB',
    }),
    before: Type.Optional(Nullable(Version)),
  },
  { additionalProperties: false },
)
