import settings from './pt/settings.json' with { type: 'json' }
import shell from './pt/shell.json' with { type: 'json' }
import ui from './pt/ui.json' with { type: 'json' }

export default { settings, shell, ui }
