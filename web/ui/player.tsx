import { ActionIcon } from '@mantine/core'
import { Pause, Play } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import styles from './player.module.css'

/** Minutes and seconds: `2:05`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

const speeds = [1, 1.5, 2] as const

/**
 * Plays a recording, which is asked for when it is wanted: a button, and with `seconds`, its expected
 * length, also a bar to move in it and its speed.
 */
export function AudioPlayer({ src, seconds }: { src: string; seconds?: number }) {
  const words = useTranslations('ui')
  const audio = useRef<HTMLAudioElement>(null)
  const [state, setState] = useState<'idle' | 'playing' | 'failed'>('idle')
  const [playedSeconds, setPlayedSeconds] = useState(0)
  const [length, setLength] = useState(seconds ?? 0)
  const [speed, setSpeed] = useState<number>(1)
  const toggle = () => {
    const player = audio.current
    if (!player) return
    if (state === 'playing') return player.pause()
    player.play().then(
      () => setState('playing'),
      () => setState('failed'),
    )
  }
  const text = words(
    `player.${state === 'playing' ? 'pause' : state === 'failed' ? 'noRecording' : 'play'}`,
  )
  return (
    <>
      <ActionIcon
        size={28}
        radius="xl"
        variant="light"
        color={state === 'failed' ? 'danger' : 'accent'}
        aria-label={text}
        title={text}
        onClick={toggle}
      >
        {state === 'playing' ? <Pause size={14} /> : <Play size={14} />}
      </ActionIcon>
      {seconds !== undefined && (
        <>
          <input
            type="range"
            className={styles.bar}
            aria-label={words('player.seek')}
            aria-valuetext={`${clock(playedSeconds)} / ${clock(length)}`}
            min={0}
            max={Math.max(1, length)}
            step={1}
            value={playedSeconds}
            onChange={({ currentTarget: { value } }) => {
              setPlayedSeconds(Number(value))
              if (audio.current) audio.current.currentTime = Number(value)
            }}
          />
          <span className={styles.time}>
            {playedSeconds > 0 && `${clock(playedSeconds)} / `}
            {clock(length)}
          </span>
          <button
            type="button"
            className={styles.speed}
            aria-label={words('player.speed', { speed: String(speed) })}
            onClick={() => {
              const next = speeds[(speeds.indexOf(speed as 1) + 1) % speeds.length]!
              setSpeed(next)
              if (audio.current) audio.current.playbackRate = next
            }}
          >
            {speed}×
          </button>
        </>
      )}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- a call has no captions */}
      <audio
        ref={audio}
        preload="none"
        src={src}
        onPause={() => setState('idle')}
        onEnded={() => setState('idle')}
        onError={() => setState('failed')}
        onTimeUpdate={({ currentTarget: { currentTime } }) => setPlayedSeconds(currentTime)}
        onLoadedMetadata={({ currentTarget: { duration } }) => {
          if (Number.isFinite(duration)) setLength(duration)
        }}
      />
    </>
  )
}
