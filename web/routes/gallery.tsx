import { Button, Group } from '@mantine/core'
import { Page, Section } from '../ui/page.tsx'

/** Every component in every state, for a look at all of them at once. In builds for tests only. */
export function Gallery() {
  return (
    <Page title="Components" isWide>
      <Section title="Buttons">
        <Group>
          <Button>Save</Button>
          <Button variant="default">Cancel</Button>
        </Group>
      </Section>
    </Page>
  )
}
