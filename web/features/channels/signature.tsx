import { Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { CodeBlock } from '../../ui/code.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { useFilled } from '../../ui/form.ts'
import { PageSection } from '../../ui/page.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import { signRequest } from './channels.ts'
import type { Channel, ChannelSignature } from './channels.ts'

interface Values extends Record<string, unknown> {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  body: string
  date: string
  signature: string
}

/** Works out the signatures of a request, and says whether one that was refused is among them. */
export function SignatureCheck({ channel: { id } }: { channel: Channel }) {
  const words = useTranslations('channels')
  const [answer, setAnswer] = useState<ChannelSignature>()
  const { form, submit, isPending, error } = useFilled<Values, ChannelSignature>({
    values: {
      method: 'POST',
      path: `/v2/origin/custom/${id}/connect`,
      body: '',
      date: '',
      signature: '',
    },
    send: ({ method, path, body, date }) =>
      signRequest(id, { method, path, body, ...(date !== '' && { date }) }),
    onDone: setAnswer,
  })
  const { method, signature } = form.getValues()
  const given = signature.trim().toLowerCase()
  const fits =
    answer && (given === answer.of_request || (method !== 'GET' && given === answer.of_body))
  return (
    <PageSection title={words('check')} about={words('checkAbout')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Group gap="sm" align="flex-start" wrap="nowrap">
            <Select
              label={words('method')}
              data={['GET', 'POST', 'DELETE']}
              allowDeselect={false}
              w={110}
              {...form.getInputProps('method')}
            />
            <TextInput
              label={words('path')}
              style={{ flex: 1, minWidth: 0 }}
              {...form.getInputProps('path')}
            />
          </Group>
          <Textarea
            label={words('bytes')}
            description={words('bytesAbout')}
            autosize
            minRows={3}
            maxRows={12}
            styles={{ input: { fontFamily: 'var(--font-mono)' } }}
            {...form.getInputProps('body')}
          />
          <TextInput
            label={words('date')}
            description={words('dateAbout')}
            placeholder="Mon, 23 Nov 2026 14:00:00 GMT"
            {...form.getInputProps('date')}
          />
          <TextInput
            label={words('given')}
            description={words('givenAbout')}
            styles={{ input: { fontFamily: 'var(--font-mono)' } }}
            {...form.getInputProps('signature')}
          />
          <Group>
            <Button type="submit" loading={isPending}>
              {words('work')}
            </Button>
            <span role="status">
              {answer && given !== '' && (
                <Text c={fits ? 'success' : 'danger'} fw={500}>
                  {words(fits ? 'fits' : 'fitsNot')}
                </Text>
              )}
            </span>
          </Group>
          <ProblemAlert error={error} />
          {answer && (
            <>
              <CopyField label={words('ofBody')} value={answer.of_body} />
              <CopyField
                label={words('ofRequest')}
                description={words('ofRequestAbout')}
                value={answer.of_request}
              />
              <CodeBlock label={words('covered')} value={answer.canonical} />
            </>
          )}
        </Stack>
      </form>
    </PageSection>
  )
}
