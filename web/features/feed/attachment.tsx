// Files of notes and messages.
import { Download, FileText } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useSizeText } from '../../ui/size.ts'
import styles from './feed.module.css'

/** Files of this server are shown; the page may not load those of other hosts, which are links. */
export const isOwn = (address: string): boolean => URL.parse(address)?.origin === location.origin

export function FileOfItem({
  media,
  name,
  size,
  isPicture,
}: {
  media: string | null
  name: string
  size: number | null
  isPicture: boolean
}) {
  const words = useTranslations('feed')
  const [isBroken, setBroken] = useState(false)
  const shown = name || words('file')
  if (media === null)
    return (
      <span className={styles.file}>
        <FileText size={16} aria-hidden />
        <bdi>{shown}</bdi>
      </span>
    )
  if (isPicture && isOwn(media) && !isBroken)
    return (
      <a href={media} target="_blank" rel="noopener noreferrer" className={styles.picture}>
        <img src={media} alt={shown} loading="lazy" onError={() => setBroken(true)} />
      </a>
    )
  return (
    <a href={media} target="_blank" rel="noopener noreferrer" className={styles.file}>
      <Download size={16} aria-hidden />
      <bdi>{shown}</bdi>
      <Size bytes={size} />
    </a>
  )
}

/** The size of a file: "12 kB". */
export function Size({ bytes }: { bytes: number | null }) {
  const sizeText = useSizeText()
  if (bytes === null) return undefined
  return <span className={styles.kind}>{sizeText(bytes)}</span>
}
