import { ask } from '../data/api.ts'
import { build } from '../data/start.ts'

/** Whether the server has another build than this page; undefined while it does not answer. */
export const isOutdated = (): Promise<boolean | undefined> =>
  build === 'dev'
    ? Promise.resolve(false)
    : ask<{ id: string }>('/web/v1/build').then(
        ({ id }) => id !== build,
        () => undefined,
      )
