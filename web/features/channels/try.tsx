import { Badge, Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { CodeBlock } from '../../ui/code.tsx'
import { useFilled } from '../../ui/form.ts'
import { PageSection } from '../../ui/page.tsx'
import { ProblemText } from '../../ui/states.tsx'
import { tryRequest } from './channels.ts'
import type { Channel, TriedAnswer } from './channels.ts'

const methods = ['GET', 'POST', 'DELETE'] as const

interface Values extends Record<string, unknown> {
  method: (typeof methods)[number]
  path: string
  body: string
}

/** Sends a request of the chat protocol; the server signs it, so the secret is not needed here. */
export function TryRequest({ channel: { id } }: { channel: Channel }) {
  const words = useTranslations('channels')
  const answer = useMutation({ mutationFn: async (given: TriedAnswer) => given })
  const { form, submit, isPending, error } = useFilled<Values, TriedAnswer>({
    values: {
      method: 'POST',
      path: `/v2/origin/custom/${id}/connect`,
      body: '{\n  "account_id": ""\n}',
    },
    validate: {
      path: (path) => (path.startsWith('/v2/origin/custom/') ? undefined : words('pathWrong')),
      body: (text) => (text.trim() === '' || isJson(text) ? undefined : words('bodyWrong')),
    },
    send: ({ method, path, body }) =>
      tryRequest(id, {
        method,
        path,
        ...(method !== 'GET' && body.trim() !== '' && { body: JSON.parse(body) as unknown }),
      }),
    onDone: answer.mutate,
  })
  const { data } = answer
  return (
    <PageSection title={words('try')} about={words('tryAbout')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Group gap="sm" align="flex-start" wrap="nowrap">
            <Select
              label={words('method')}
              data={methods}
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
          {form.getValues().method !== 'GET' && (
            <Textarea
              label={words('body')}
              autosize
              minRows={4}
              maxRows={16}
              styles={{ input: { fontFamily: 'var(--font-mono)' } }}
              {...form.getInputProps('body')}
            />
          )}
          <Group gap="sm">
            <Button type="submit" leftSection={<Send size={16} />} loading={isPending}>
              {words('send')}
            </Button>
            {data && (
              <Badge color={data.status < 300 ? 'success' : 'danger'} role="status">
                {words('answered', { status: String(data.status) })}
              </Badge>
            )}
          </Group>
          {error !== null && error !== undefined && (
            <Text c="danger" role="alert">
              <ProblemText error={error} />
            </Text>
          )}
          {data && (
            <CodeBlock
              label={words('answer')}
              value={JSON.stringify(data.body, undefined, 2) ?? ''}
            />
          )}
        </Stack>
      </form>
    </PageSection>
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
