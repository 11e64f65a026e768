// Shows the reference. What "Try it out" sends goes to the server that this page came from, with the token of "Authorize" or, without
// one, with the session of this browser; nothing is sent anywhere else, and nothing is kept when the page is closed.
const hint = `
Press **Try it out** on a method to call it on your own account; it works on real data.
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

// The library darkens itself by this word only.
const dark = window.matchMedia('(prefers-color-scheme: dark)')
const follow = () => window.document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

show().catch((error) => {
  window.document.querySelector('#reference').textContent =
    `The reference cannot be shown: ${error.message}`
})
