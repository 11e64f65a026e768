import board from './pt/board.json' with { type: 'json' }
import checklist from './pt/checklist.json' with { type: 'json' }
import create from './pt/create.json' with { type: 'json' }
import faults from './pt/faults.json' with { type: 'json' }
import filter from './pt/filter.json' with { type: 'json' }
import home from './pt/home.json' with { type: 'json' }
import notifications from './pt/notifications.json' with { type: 'json' }
import preferences from './pt/preferences.json' with { type: 'json' }
import settings from './pt/settings.json' with { type: 'json' }
import shell from './pt/shell.json' with { type: 'json' }
import ui from './pt/ui.json' with { type: 'json' }
import unsorted from './pt/unsorted.json' with { type: 'json' }
import views from './pt/views.json' with { type: 'json' }

export default {
  board,
  checklist,
  create,
  faults,
  filter,
  home,
  notifications,
  preferences,
  settings,
  shell,
  ui,
  unsorted,
  views,
}
