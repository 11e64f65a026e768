// Files on their way to the server: sent at once, with their progress, and attached when the note or
// the message is sent.
import { useCallback, useEffect, useRef, useState } from 'react'
import { sendFile } from '../../data/files.ts'
import type { StoredFile } from '../../data/files.ts'

export interface Upload {
  /** Of this page. */
  id: number
  name: string
  size: number
  /** From 0 to 1. */
  progress: number
  error?: unknown
  /** Of the stored file. */
  file?: StoredFile
}

let count = 0

export interface Uploads {
  uploads: readonly Upload[]
  add: (files: Iterable<File>) => void
  remove: (id: number) => void
  retry: (id: number) => void
  /** Forgets all: they are attached now. */
  clear: () => void
}

/** The files of a draft. Those that are not attached when the feed is left are given up. */
export function useUploads(): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const requests = useRef(new Map<number, { request: XMLHttpRequest; file: File }>())
  useEffect(() => {
    const all = requests.current
    return () => {
      for (const { request } of all.values()) request.abort()
    }
  }, [])
  const change = useCallback((id: number, to: Partial<Upload>) => {
    setUploads((before) => before.map((each) => (each.id === id ? { ...each, ...to } : each)))
  }, [])
  const begin = useCallback(
    (id: number, file: File) => {
      const request = sendFile(file, {
        onProgress: (progress) => change(id, { progress }),
        onDone: (stored) => change(id, { progress: 1, file: stored }),
        onFailure: (error) => change(id, { error }),
      })
      requests.current.set(id, { request, file })
    },
    [change],
  )
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        const id = ++count
        const { name, size } = file
        setUploads((before) => [...before, { id, name, size, progress: 0 }])
        begin(id, file)
      }
    },
    [begin],
  )
  const remove = useCallback((id: number) => {
    requests.current.get(id)?.request.abort()
    requests.current.delete(id)
    setUploads((before) => before.filter((each) => each.id !== id))
  }, [])
  const retry = useCallback(
    (id: number) => {
      const failed = requests.current.get(id)
      if (!failed) return
      setUploads((before) =>
        before.map(({ error: _, ...each }) => (each.id === id ? { ...each, progress: 0 } : each)),
      )
      begin(id, failed.file)
    },
    [begin],
  )
  const clear = useCallback(() => {
    requests.current.clear()
    setUploads([])
  }, [])
  return { uploads, add, remove, retry, clear }
}
