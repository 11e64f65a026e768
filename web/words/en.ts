import shell from './en/shell.json' with { type: 'json' }
import ui from './en/ui.json' with { type: 'json' }

export default { shell, ui }
