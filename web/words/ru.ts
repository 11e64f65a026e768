import settings from './ru/settings.json' with { type: 'json' }
import shell from './ru/shell.json' with { type: 'json' }
import ui from './ru/ui.json' with { type: 'json' }

export default { settings, shell, ui }
