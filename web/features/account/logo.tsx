// The logo of the account: a small picture that everybody sees beside the name.
import { Button, FileButton, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ImageIcon } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { bootstrapQuery } from '../../crm/bootstrap.ts'
import { Problem } from '../../data/api.ts'
import { announceChanged } from '../../data/tabs.ts'
import { Setting } from '../../ui/setting.tsx'
import { accountSettingsQuery, changeAccountLogo, logoAddress } from './account.ts'
import type { SettingsOfAccount } from './account.ts'
import styles from './logo.module.css'

/** As much as the server takes. */
const mostBytes = 262_144
const types = ['image/png', 'image/jpeg', 'image/webp']

export function LogoSetting({ settings }: { settings: SettingsOfAccount }) {
  const words = useTranslations('general')
  const client = useQueryClient()
  const [fault, setFault] = useState<string>()
  const { name, logo } = settings
  const { mutate, isPending, ...save } = useMutation({
    mutationFn: ({ content, before }: { content: string | null; before: string | null }) =>
      changeAccountLogo(content, before),
    onSettled: async () => {
      announceChanged('bootstrap', 'account-settings')
      await Promise.all(
        [bootstrapQuery, accountSettingsQuery].map(({ queryKey }) =>
          client.invalidateQueries({ queryKey }),
        ),
      )
    },
    onError: (refusal) => {
      if (refusal instanceof Problem && refusal.status === 409) setFault(words('logoChanged'))
    },
  })
  const choose = (file: File | null) => {
    setFault(undefined)
    if (!file) return
    if (!types.includes(file.type)) setFault(words('logoType'))
    else if (file.size > mostBytes) setFault(words('logoSize'))
    else {
      const reader = new FileReader()
      reader.onload = () =>
        typeof reader.result === 'string' && mutate({ content: reader.result, before: logo })
      reader.readAsDataURL(file)
    }
  }
  return (
    <Setting
      title={words('logo')}
      about={words('logoAbout')}
      save={fault === undefined ? save : { ...save, error: null }}
    >
      {(names) => (
        <div className={styles.logo} role="group" {...names}>
          {logo === null ? (
            <span className={styles.none} aria-hidden>
              <ImageIcon size={20} />
            </span>
          ) : (
            <img
              src={logoAddress(logo)}
              alt={words('logoOf', { name })}
              className={styles.picture}
            />
          )}
          <FileButton
            onChange={choose}
            accept={types.join(',')}
            inputProps={{ 'aria-hidden': true }}
          >
            {(props) => (
              <Button variant="default" loading={isPending} {...props}>
                {words(logo === null ? 'logoChoose' : 'logoReplace')}
              </Button>
            )}
          </FileButton>
          {logo !== null && (
            <Button
              variant="subtle"
              color="gray"
              onClick={() => {
                setFault(undefined)
                mutate({ content: null, before: logo })
              }}
            >
              {words('logoRemove')}
            </Button>
          )}
          {fault && (
            <Text c="danger" role="alert" className={styles.fault}>
              {fault}
            </Text>
          )}
        </div>
      )}
    </Setting>
  )
}
