// Shows the reference. "Try it out" sends requests only to the server of this page, with the token of
// "Authorize" or, without one, with the session of this browser. Closing the page forgets the token.
const hint = `
Press **Try it out** on a method to call it on your own account. It works on real data.
If you are signed in to Kontor in this browser, calls run as you.
Otherwise press **Authorize** and paste an access token, such as one from \`bin/kontor token\`.`

async function show() {
  const answer = await fetch('/developers/openapi.json')
  if (!answer.ok) throw new Error(`the document answered ${answer.status}`)
  const document = await answer.json()
  window.SwaggerUIBundle({
    dom_id: '#reference',
    spec: {
      ...document,
      info: { ...document.info, description: `${document.info.description}\n${hint}` },
      servers: [{ url: window.location.origin }],
    },
    deepLinking: true,
    docExpansion: 'list',
    filter: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: -1,
    persistAuthorization: false,
    validatorUrl: null,
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
