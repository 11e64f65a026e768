import settings from './es/settings.json' with { type: 'json' }
import shell from './es/shell.json' with { type: 'json' }
import ui from './es/ui.json' with { type: 'json' }

export default { settings, shell, ui }
