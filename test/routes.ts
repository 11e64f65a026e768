import { readFileSync } from 'node:fs'

export interface Route {
  method: string
  /** As the document writes it: `/api/v4/leads/{id}`. */
  path: string
}

const document = JSON.parse(readFileSync(new URL('../docs/api/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, object>>
}

/** Every route of the published document, which CI compares with the code. */
export const routes: Route[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
)

/** The routes that ask for a token. */
export const closedRoutes = routes.filter(({ path }) => path.startsWith('/api/'))
