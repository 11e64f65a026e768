// Shows the reference. "Try it out" sends requests only to the server of this page, with the token of
// "Authorize" or, without one, with the session of this browser. Closing the page forgets the token.
const hint = `
Press **Try it out** on a method to call it on your own account. It works on real data.
If you are signed in to Kontor in this browser, calls run as you.
Otherwise press **Authorize** and paste an access token, such as one from \`bin/kontor token\`.

Methods of chat channels work if you are signed in as an administrator of the account that owns the channel: Kontor signs them for you.`

/** The paths of the chat protocol begin with the id of a channel. */
const ofChannel = /^\/v2\/origin\/custom\/([\da-f-]{36})/i

/** A browser can neither keep the secret of a channel nor send a Date, so the server signs. */
function signedByServer(request) {
  const { pathname, search } = new URL(request.url, window.location.origin)
  const [, id] = ofChannel.exec(pathname) ?? []
  if (id === undefined) return request
  const tried = { method: request.method.toUpperCase(), path: pathname + search }
  const body = request.body === undefined ? tried : { ...tried, body: JSON.parse(request.body) }
  return Object.assign(request, {
    url: `${window.location.origin}/web/v1/channels/${id}/try`,
    method: 'POST',
    headers: { ...request.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** Shows the answer that the server got in place of that to the trial. */
function answeredByServer(response) {
  if (!/\/web\/v1\/channels\/[\da-f-]{36}\/try$/.test(response.url) || !response.ok) return response
  const { status, body } = JSON.parse(response.text)
  const text = body === null ? '' : JSON.stringify(body)
  const ok = status >= 200 && status < 300
  return Object.assign(response, { status, ok, text, data: text, obj: body, body })
}

/** The document with the parts that it refers to in their places. Its references lead into itself and never in circles. */
function whole(document) {
  const at = (reference) =>
    reference
      .slice('#/'.length)
      .split('/')
      .reduce((part, name) => part[name], document)
  const placed = (part) => {
    if (Array.isArray(part)) return part.map(placed)
    if (part === null || typeof part !== 'object') return part
    if (typeof part.$ref === 'string') return placed(at(part.$ref))
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, placed(each)]))
  }
  return placed(document)
}

/** The library's own way reads the whole document again for each operation that is opened: it takes seconds. */
const partsAsTheyAre = {
  fn: {
    resolveSubtree: async (document, path) => ({
      spec: path.reduce((part, name) => part?.[name], document),
      errors: [],
    }),
  },
}

async function show() {
  const answer = await fetch('/developers/openapi.json')
  if (!answer.ok) throw new Error(`the document answered ${answer.status}`)
  const document = whole(await answer.json())
  window.SwaggerUIBundle({
    dom_id: '#reference',
    spec: {
      ...document,
      info: { ...document.info, description: `${document.info.description}\n${hint}` },
      servers: [{ url: window.location.origin }],
    },
    plugins: [() => partsAsTheyAre],
    deepLinking: true,
    docExpansion: 'list',
    filter: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: -1,
    persistAuthorization: false,
    validatorUrl: null,
    requestInterceptor: signedByServer,
    responseInterceptor: answeredByServer,
    showMutatedRequest: false,
  })
}

// The library switches to its dark colors by this class only.
const dark = window.matchMedia('(prefers-color-scheme: dark)')
const follow = () => window.document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

show().catch((error) => {
  window.document.querySelector('#reference').textContent =
    `The reference cannot be shown: ${error.message}`
})
