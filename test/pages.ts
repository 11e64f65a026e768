/** Whether a route answers people with pages, not programs with problems. */
export const isPageRoute = (path: string): boolean =>
  /^\/(?:oauth|login|login\/forgot|logout|setup|reset\/[^/]+|invite\/[^/]+)$/.test(path)
