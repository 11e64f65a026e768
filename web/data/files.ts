// The step that stores a file, for the features that name it afterwards: in a note, a message, a field.
import type { Static } from 'typebox'
import type { FileAnswer } from '../../server/features/activity/files/schema.ts'
import { Problem, problemOf } from './api.ts'
import { wait } from './rest.ts'
import { askBeforeLeaving } from './unload.ts'

export type StoredFile = Static<typeof FileAnswer>

/** The files on their way. They end with the page, and nothing has them but the computer that sends them. */
const underway = new Set<XMLHttpRequest>()
askBeforeLeaving(() => underway.size > 0)

/** Sends a file at once, to be named by what is saved later. `onProgress` is told from 0 to 1. */
export function sendFile(
  file: File,
  {
    onProgress,
    onDone,
    onFailure,
  }: {
    onProgress: (progress: number) => void
    onDone: (file: StoredFile) => void
    onFailure: (error: unknown) => void
  },
): XMLHttpRequest {
  // `fetch` tells no progress of what it sends.
  const request = new XMLHttpRequest()
  request.open('POST', `/web/v1/files?name=${encodeURIComponent(file.name.slice(-255))}`)
  request.setRequestHeader('content-type', file.type || 'application/octet-stream')
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
  request.addEventListener('error', () =>
    onFailure(new Problem(0, 'No connection', 'The server did not answer')),
  )
  request.addEventListener('load', () => {
    if (request.status === 201) return onDone(JSON.parse(request.responseText) as StoredFile)
    onFailure(problemOf(request, request.responseText, (name) => request.getResponseHeader(name)))
  })
  request.addEventListener('loadend', wait(`POST ${file.name}`))
  request.addEventListener('loadend', () => underway.delete(request))
  underway.add(request)
  request.send(file)
  return request
}
