import { ask } from '../api.ts'
import { build } from '../start.ts'

/** Whether the server has another build than this page; no, while it does not answer. */
export const isOutdated = (): Promise<boolean> =>
  build === 'dev'
    ? Promise.resolve(false)
    : ask<{ id: string }>('/web/v1/build').then(
        ({ id }) => id !== build,
        () => false,
      )
