import { Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ProblemText } from '../../ui/states.tsx'
import type { EditedRights } from './draft.ts'

/** Whether lists are open; rights to a single list, which programs give, go before it. */
export function ListsAccess({ draft }: { draft: EditedRights }) {
  const words = useTranslations('roles')
  const [error, setError] = useState<unknown>()
  return (
    <>
      <Switch
        mt="md"
        label={words('lists')}
        description={words('listsAbout')}
        checked={draft.rights.catalog_access}
        onChange={({ currentTarget }) => {
          setError(undefined)
          draft.change({ catalog_access: currentTarget.checked }).catch(setError)
        }}
      />
      {error !== undefined && (
        <Text c="danger" role="alert" mt="xs">
          <ProblemText error={error} />
        </Text>
      )}
    </>
  )
}
