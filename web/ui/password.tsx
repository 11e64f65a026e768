import { PasswordInput } from '@mantine/core'
import { useId } from 'react'
import { useTranslations } from 'use-intl'

/**
 * A field for a password. Mantine's own says its fault to the eye alone; this one ties it to the
 * field.
 */
export function Password({
  label,
  description,
  error,
  ...field
}: {
  label: string
  description?: string
  error?: React.ReactNode
  autoComplete: 'current-password' | 'new-password'
  'data-autofocus'?: boolean
  value?: string
  onChange?: (event: React.ChangeEvent<HTMLInputElement>) => void
}) {
  const words = useTranslations('ui')
  const id = useId()
  const about = [description && `${id}-description`, error && `${id}-error`].filter(Boolean)
  return (
    <PasswordInput
      {...field}
      id={id}
      label={label}
      description={description}
      error={error}
      aria-invalid={error ? true : undefined}
      aria-describedby={about.length > 0 ? about.join(' ') : undefined}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': `${words('show')}: ${label}` }}
    />
  )
}
