import { addresses } from '../server/web/preloads.ts'

const application = new Set(addresses.map((each) => each.replaceAll(/:(\w+)/g, '{$1}')))

/** Whether a route answers people with pages, not programs with problems. */
export const isPageRoute = (path: string): boolean =>
  application.has(path) ||
  /^\/(?:oauth|login|login\/forgot|logout|setup|reset\/[^/]+|invite\/[^/]+)$/.test(path)
