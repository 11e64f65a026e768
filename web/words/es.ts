import board from './es/board.json' with { type: 'json' }
import checklist from './es/checklist.json' with { type: 'json' }
import create from './es/create.json' with { type: 'json' }
import faults from './es/faults.json' with { type: 'json' }
import filter from './es/filter.json' with { type: 'json' }
import home from './es/home.json' with { type: 'json' }
import notifications from './es/notifications.json' with { type: 'json' }
import preferences from './es/preferences.json' with { type: 'json' }
import settings from './es/settings.json' with { type: 'json' }
import shell from './es/shell.json' with { type: 'json' }
import ui from './es/ui.json' with { type: 'json' }
import unsorted from './es/unsorted.json' with { type: 'json' }
import views from './es/views.json' with { type: 'json' }

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
