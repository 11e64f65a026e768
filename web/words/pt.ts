import shell from './pt/shell.json' with { type: 'json' }
import ui from './pt/ui.json' with { type: 'json' }

export default { shell, ui }
