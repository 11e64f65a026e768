// A site with a button of an integration: a page that opens windows and writes down what it hears, and the page where results arrive.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

export interface Site {
  /** Its address by name; by number, with `address`, it is another site to a browser. */
  url: string
  address: string
}

const opener = `<!doctype html><title>The site</title><script>
  window.heard = []
  addEventListener('message', ({ data, origin }) => window.heard.push({ data, origin }))
</script><h1>The site</h1>`

/** As integrations write it: the result goes to the opener, with the error where there is one. */
const result = `<!doctype html><title>The result</title><script>
  const error = new URLSearchParams(location.search).get('error') ?? undefined
  if (window.opener) window.opener.postMessage({ result: location.search, error }, '*')
</script><h1>The result</h1>`

export async function openSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://site').pathname
    if (path === '/moved')
      return response.writeHead(302, { location: request.url!.replace('/moved', '/result') }).end()
    const framed =
      path === '/frame' &&
      `<iframe src="${new URL(request.url!, 'http://site').searchParams.get('of')}"></iframe>`
    return response
      .setHeader('content-type', 'text/html')
      .end(framed || (path === '/result' ? result : opener))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://localhost:${port}`, address: `http://127.0.0.1:${port}` }
}
