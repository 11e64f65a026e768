import { Check } from 'lucide-react'
import { useId } from 'react'
import { useTranslations } from 'use-intl'
import { paletteNames, statusPalette } from './customer-statuses.ts'
import styles from './palette.module.css'

/** The colours of statuses as radio buttons: arrows choose, and each is spoken by its name. */
export function StatusPalette({
  value,
  onChange,
}: {
  value: string
  onChange: (color: string) => void
}) {
  const words = useTranslations('customers')
  const name = useId()
  return (
    <fieldset className={styles.palette}>
      <legend className={styles.legend}>{words('color')}</legend>
      <div className={styles.colors}>
        {paletteNames.map((each) => (
          <label
            key={each}
            className={styles.color}
            style={{ background: statusPalette[each] }}
            title={words(`colors.${each}`)}
          >
            <input
              type="radio"
              name={name}
              aria-label={words(`colors.${each}`)}
              checked={value.toLowerCase() === statusPalette[each]}
              onChange={() => onChange(statusPalette[each])}
            />
            {value.toLowerCase() === statusPalette[each] && <Check size={16} aria-hidden />}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
