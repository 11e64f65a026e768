import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Check, Copy, Download, TriangleAlert } from 'lucide-react'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { useCopy } from '../../ui/copy.tsx'
import styles from './second-factor.module.css'

/** The codes for the day on which the app is lost, to take along. They are shown once. */
export function RecoveryCodeList({ codes, onKept }: { codes: string[]; onKept: () => void }) {
  const words = useTranslations('security')
  const ui = useTranslations('ui')
  const list = useRef<HTMLUListElement>(null)
  const text = codes.join('\n')
  const { state, copy } = useCopy(text, () => {
    if (list.current) getSelection()?.selectAllChildren(list.current)
  })
  return (
    <Stack gap="md">
      <Alert color="warning" icon={<TriangleAlert size={16} />}>
        {words('codesWarning')}
      </Alert>
      <Text>{words('codesAbout')}</Text>
      <ul ref={list} className={styles.codes} aria-label={words('codes')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={state === 'copied' ? <Check size={16} /> : <Copy size={16} />}
          onClick={copy}
        >
          {ui(state === 'idle' ? 'copy' : state)}
        </Button>
        <Button
          component="a"
          variant="default"
          leftSection={<Download size={16} />}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
          download="kontor-recovery-codes.txt"
        >
          {words('download')}
        </Button>
        <Button ml="auto" onClick={onKept}>
          {words('codesKept')}
        </Button>
      </Group>
    </Stack>
  )
}
