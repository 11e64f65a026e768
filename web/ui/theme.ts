// The tokens of tokens.css as a Mantine theme: sizes, type, radius, shadow and motion. Colours stay
// in tokens.css, and this file only says which token a Mantine variable takes.
import {
  ActionIcon,
  Badge,
  Button,
  Checkbox,
  createTheme,
  defaultVariantColorsResolver,
  Drawer,
  Input,
  Menu,
  Modal,
  Popover,
  Switch,
  Text,
  Tooltip,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core'

/** Every shade of a Mantine colour is the token: shades are chosen by the tokens, not by number. */
const token = (name: string): MantineColorsTuple =>
  Array.from({ length: 10 }, () => `var(--${name})`) as unknown as MantineColorsTuple

/** The ten shades of the neutral colours, from the token of the lightest one to the darkest. */
const tokens = (names: string): MantineColorsTuple =>
  names.split(' ').map((name) => `var(--${name})`) as unknown as MantineColorsTuple

const control = 'var(--control)'
const quick = { transitionProps: { duration: 120, transition: 'fade' as const } }
/**
 * What takes the focus is there at once, and fades in by its style (base.css): the library's own
 * transition draws it frames later. The focus goes back by focus.ts, which needs no timer.
 */
const atOnce = { transitionProps: { duration: 0 }, returnFocus: false }

/**
 * One press of Escape closes one dialog: without this list, which dialogs of a `Modal.Stack` share, a
 * question that a press has opened would be closed by the same press.
 */
const oneEscape = { __handledEscapeEvents: new WeakSet<KeyboardEvent>() } as object

/**
 * Finds the dialogs that are open. One that is closed stays in the page while it fades, and does not
 * count any more.
 */
export const openDialogs = '.open-dialog'
const openDialog = openDialogs.slice(1)

export const theme = createTheme({
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  primaryColor: 'accent',
  variantColorResolver: (input) => ({
    ...defaultVariantColorsResolver(input),
    // The accents of the dark theme are light: text on them is dark.
    ...(input.variant === 'filled' && { color: 'var(--on-accent)' }),
  }),
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  defaultRadius: 'sm',
  colors: {
    accent: token('accent'),
    gray: tokens(
      'surface sunken border border border-strong text-subtle text-muted text-muted text text',
    ),
    dark: tokens('text text-muted text-subtle border-strong border hover surface bg sunken sunken'),
    danger: token('danger'),
    warning: token('warning'),
    success: token('success'),
    info: token('info'),
  },
  fontSizes: { xs: '11px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '4px', sm: '4px', md: '6px', lg: '10px', xl: '10px' },
  shadows: {
    xs: 'none',
    sm: 'var(--shadow-popover)',
    md: 'var(--shadow-popover)',
    lg: 'var(--shadow-dialog)',
    xl: 'var(--shadow-dialog)',
  },
  headings: {
    fontFamily: 'var(--font)',
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  breakpoints: { xs: '24em', sm: '36em', md: '56.25em', lg: '75em', xl: '90em' },
  components: {
    Button: Button.extend({
      defaultProps: { size: 'sm' },
      vars: () => ({ root: { '--button-height': control, '--button-padding-x': '12px' } }),
    }),
    ActionIcon: ActionIcon.extend({
      defaultProps: { variant: 'subtle', color: 'gray' },
    }),
    Badge: Badge.extend({ defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } }),
    Checkbox: Checkbox.extend({ defaultProps: { iconColor: 'var(--on-accent)' } }),
    Input: Input.extend({ vars: () => ({ wrapper: { '--input-height': control } }) }),
    Modal: Modal.extend({
      defaultProps: {
        radius: 'lg',
        shadow: 'lg',
        centered: true,
        padding: 20,
        ...atOnce,
        ...oneEscape,
      },
      classNames: (_theme, { opened }) => ({ content: opened ? openDialog : '' }),
    }),
    Drawer: Drawer.extend({
      defaultProps: { shadow: 'lg', ...atOnce },
    }),
    // An element that only takes the focus has no place in a menu: its items have the keys.
    Menu: Menu.extend({
      defaultProps: { shadow: 'md', radius: 'md', withInitialFocusPlaceholder: false, ...atOnce },
    }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', radius: 'md', ...atOnce } }),
    Switch: Switch.extend({ defaultProps: { withThumbIndicator: false } }),
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 400, ...quick } }),
  },
})

const colours = {
  '--mantine-color-body': 'var(--bg)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-bright': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text-muted)',
  '--mantine-color-placeholder': 'var(--text-subtle)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--danger)',
  '--mantine-color-default': 'var(--bg)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--border)',
  '--mantine-color-disabled': 'var(--sunken)',
  '--mantine-color-disabled-color': 'var(--text-subtle)',
  '--mantine-color-disabled-border': 'var(--border)',
  '--mantine-color-gray-light': 'var(--hover)',
  '--mantine-color-gray-light-hover': 'var(--hover)',
  '--mantine-color-gray-light-color': 'var(--text-muted)',
  '--mantine-color-gray-outline': 'var(--text-muted)',
  '--mantine-color-gray-text': 'var(--text-muted)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-filled-hover': 'var(--accent-hover)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  '--mantine-primary-color-light': 'var(--accent-soft)',
  '--mantine-primary-color-light-hover': 'var(--accent-soft)',
  '--mantine-primary-color-light-color': 'var(--on-accent-soft)',
  ...Object.fromEntries(
    ['accent', 'danger', 'warning', 'success', 'info'].flatMap((name) => [
      [`--mantine-color-${name}-filled`, `var(--${name})`],
      [`--mantine-color-${name}-filled-hover`, `var(--${name})`],
      [`--mantine-color-${name}-light`, `var(--${name}-soft)`],
      [`--mantine-color-${name}-light-hover`, `var(--${name}-soft)`],
      [`--mantine-color-${name}-light-color`, `var(--on-${name}-soft)`],
      [`--mantine-color-${name}-outline`, `var(--${name})`],
      [`--mantine-color-${name}-text`, `var(--${name})`],
    ]),
  ),
}

/** The variables that Mantine's components read; the tokens change with the theme by themselves. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: colours,
  dark: colours,
})
