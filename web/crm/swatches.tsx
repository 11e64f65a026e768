import type { CSSProperties, ReactNode } from 'react'
import styles from './swatches.module.css'

interface Swatch<Value> {
  value: Value | null
  /** For screen readers, and on hover. */
  name: string
  style?: CSSProperties
  content?: ReactNode
}

/** One of several small pictures or colors, chosen by the mouse or by the arrows. */
export function Swatches<Value extends string | number>({
  legend,
  chosen,
  choose,
  choices,
}: {
  legend: string
  chosen: Value | null
  choose: (value: Value | null) => void
  choices: Swatch<Value>[]
}) {
  return (
    <fieldset className={styles.swatches}>
      <legend>{legend}</legend>
      <div className={styles.choices}>
        {choices.map(({ value, name, style, content }) => (
          <label key={String(value)} className={styles.swatch} style={style} title={name}>
            <input
              type="radio"
              name={legend}
              aria-label={name}
              checked={value === chosen}
              onChange={() => choose(value)}
            />
            {value === null ? <span className={styles.none} /> : content}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
