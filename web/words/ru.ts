import board from './ru/board.json' with { type: 'json' }
import checklist from './ru/checklist.json' with { type: 'json' }
import create from './ru/create.json' with { type: 'json' }
import faults from './ru/faults.json' with { type: 'json' }
import filter from './ru/filter.json' with { type: 'json' }
import home from './ru/home.json' with { type: 'json' }
import notifications from './ru/notifications.json' with { type: 'json' }
import preferences from './ru/preferences.json' with { type: 'json' }
import settings from './ru/settings.json' with { type: 'json' }
import shell from './ru/shell.json' with { type: 'json' }
import ui from './ru/ui.json' with { type: 'json' }
import unsorted from './ru/unsorted.json' with { type: 'json' }
import views from './ru/views.json' with { type: 'json' }

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
