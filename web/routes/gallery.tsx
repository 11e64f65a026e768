import {
  ActionIcon,
  Alert,
  Avatar,
  Badge,
  Button,
  Checkbox,
  Code,
  Group,
  Kbd,
  Menu,
  Modal,
  Pill,
  Progress,
  Radio,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Switch,
  Table,
  Tabs,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { Settings } from 'lucide-react'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Problem } from '../data/api.ts'
import { Confirm } from '../ui/confirm.tsx'
import { CopyField } from '../ui/copy.tsx'
import { Countdown } from '../ui/countdown.tsx'
import { KontorMark } from '../ui/mark.tsx'
import { DateTime, Moment } from '../ui/moment.tsx'
import { NumberField } from '../ui/number-field.tsx'
import { PageFrame, PageSection } from '../ui/page.tsx'
import { Empty, Failure, NoRights, Rows } from '../ui/states.tsx'
import { say, warn } from '../ui/toasts.ts'

const colours = ['accent', 'danger', 'warning', 'success', 'info', 'gray']
const variants = ['filled', 'light', 'default', 'subtle', 'outline']
const now = Math.floor(Date.now() / 1000)

/**
 * Every component in every state, for a look at all of them at once. It is in development and in
 * builds for tests only, and in English.
 */
export function Gallery() {
  return (
    <PageFrame title="Components" about="Every component in every state." isWide>
      <Type />
      <Buttons />
      <Fields />
      <Choices />
      <Display />
      <Overlays />
      <States />
    </PageFrame>
  )
}

const Type = () => (
  <PageSection title="Type and mark">
    <Stack gap="xs">
      <Group>
        <KontorMark size={48} />
        <KontorMark size={28} />
        <KontorMark size={16} />
      </Group>
      <Title order={2}>Page 20/28, section 16/24, card 14/20</Title>
      <Title order={3}>Card title</Title>
      <Text>Base text of 13 px on 20 px lines.</Text>
      <Text c="dimmed">Muted text</Text>
      <Text size="xs" c="dimmed">
        Label of 11 px
      </Text>
      <Text>
        Press <Kbd>Ctrl K</Kbd> or read <Code>GET /api/v4/leads</Code>
      </Text>
      <Text>
        <Moment at={now - 300} />, <DateTime at={now} />, <Countdown until={now + 1200} />,{' '}
        <Countdown until={now} />
      </Text>
    </Stack>
  </PageSection>
)

const Buttons = () => (
  <PageSection title="Buttons">
    <Stack gap="sm">
      {variants.map((variant) => (
        <Group key={variant} gap="sm">
          {colours.map((color) => (
            <Button key={color} variant={variant} color={color}>
              {variant} {color}
            </Button>
          ))}
        </Group>
      ))}
      <Group gap="sm">
        <Button disabled>Disabled</Button>
        <Button loading>Busy</Button>
        <Button leftSection={<Settings size={16} />}>With an icon</Button>
        <Button size="compact-sm" variant="default">
          Small
        </Button>
        <ActionIcon aria-label="Settings">
          <Settings size={16} />
        </ActionIcon>
        <ActionIcon aria-label="Settings, disabled" disabled>
          <Settings size={16} />
        </ActionIcon>
      </Group>
    </Stack>
  </PageSection>
)

const Fields = () => (
  <PageSection title="Fields">
    <Stack gap="md" maw={420}>
      <TextInput label="Text" defaultValue="Acme Ltd" />
      <TextInput
        label="Empty"
        description="Help stands under the label"
        placeholder="For example Acme"
      />
      <TextInput label="Faulty" defaultValue="x" error="At least two characters" />
      <TextInput label="Disabled" defaultValue="Acme Ltd" disabled />
      <NumberSample />
      <Textarea label="Longer text" autosize minRows={2} defaultValue="Call after 15:00" />
      <Select label="Choice" data={['Sales', 'Service']} defaultValue="Sales" />
      <CopyField label="To copy" value="0f3c8a52-1d0e-4c6f" />
      <CopyField label="A secret to copy" value="correct horse battery" isSecret />
    </Stack>
  </PageSection>
)

/** A number that may be read in two ways. */
function NumberSample() {
  const [typed, setTyped] = useState('7.000')
  return <NumberField label="Number" value={typed} onChange={setTyped} isTried />
}

const Choices = () => (
  <PageSection title="Choices">
    <Stack gap="sm">
      <Group>
        <Checkbox label="Chosen" defaultChecked />
        <Checkbox label="Not chosen" />
        <Checkbox label="Some" indeterminate readOnly />
        <Checkbox label="Disabled" disabled />
        <Checkbox label="Faulty" error="Choose it" />
      </Group>
      <Group>
        <Radio label="Chosen" defaultChecked name="one" />
        <Radio label="Not chosen" name="one" />
        <Radio label="Disabled" disabled name="one" />
      </Group>
      <Group>
        <Switch label="On" defaultChecked />
        <Switch label="Off" />
        <Switch label="Disabled" disabled />
      </Group>
      <SegmentedControl data={['All', 'Unread', 'System']} aria-label="Which ones" maw={320} />
    </Stack>
  </PageSection>
)

const Display = () => (
  <PageSection title="Showing">
    <Stack gap="md">
      <Group>
        {colours.map((color) => (
          <Badge key={color} color={color} variant="light">
            {color}
          </Badge>
        ))}
        <Pill>Pill</Pill>
        <Pill withRemoveButton removeButtonProps={{ 'aria-label': 'Remove' }}>
          Removable
        </Pill>
        <Avatar name="Jana Schmidt" color="accent" size={28} />
      </Group>
      {colours.slice(0, 5).map((color) => (
        <Alert key={color} color={color} title={`An alert: ${color}`}>
          It says what happened and what to do now.
        </Alert>
      ))}
      <Progress value={40} aria-label="Progress" />
      <Tabs defaultValue="settings">
        <Tabs.List>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="off" disabled>
            Disabled
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="settings" pt="sm">
          The panel of the first tab
        </Tabs.Panel>
        <Tabs.Panel value="deliveries" pt="sm">
          The panel of the second tab
        </Tabs.Panel>
      </Tabs>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Price</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {['Pump order', 'Annual service'].map((name) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              <Table.Td className="numbers">54 000</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Skeleton height={12} />
    </Stack>
  </PageSection>
)

function Overlays() {
  const [shown, setShown] = useState<'dialog' | 'confirm'>()
  const close = () => setShown(undefined)
  return (
    <PageSection title="Overlays">
      <Group>
        <Button variant="default" onClick={() => setShown('dialog')}>
          Dialog
        </Button>
        <Button variant="default" onClick={() => setShown('confirm')}>
          Confirm
        </Button>
        <Menu>
          <Menu.Target>
            <Button variant="default">Menu</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>Actions</Menu.Label>
            <Menu.Item leftSection={<Settings size={16} />}>Change</Menu.Item>
            <Menu.Item disabled>Disabled</Menu.Item>
            <Menu.Divider />
            <Menu.Item color="danger">Delete</Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <Button variant="default" onClick={() => say('Saved')}>
          Toast
        </Button>
        <Button variant="default" onClick={() => warn('That did not work', 'Try again later')}>
          Failure toast
        </Button>
      </Group>
      <Modal
        opened={shown === 'dialog'}
        onClose={close}
        title="A dialog"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Text>Its content.</Text>
      </Modal>
      <Confirm
        opened={shown === 'confirm'}
        onClose={close}
        onConfirm={close}
        title="Delete the integration?"
        text="Its programs lose their access at once."
        action="Delete"
      />
    </PageSection>
  )
}

const States = () => (
  <PageSection title="States">
    <Boxed name="Loading">
      <Rows number={3} isWaiting={false} />
    </Boxed>
    <Boxed name="Empty">
      <Empty
        title="No webhooks yet"
        text="They tell your programs."
        action={<Button>Add</Button>}
      />
    </Boxed>
    <Boxed name="Failed">
      <Failure
        error={
          new Problem(500, 'Internal Server Error', 'The server failed', { requestId: '0c7d' })
        }
        retry={() => undefined}
      />
    </Boxed>
    <Boxed name="No rights">
      <NoRights />
    </Boxed>
  </PageSection>
)

const Boxed = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Title order={3}>{name}</Title>
    {children}
  </div>
)
