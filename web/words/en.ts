import board from './en/board.json' with { type: 'json' }
import checklist from './en/checklist.json' with { type: 'json' }
import create from './en/create.json' with { type: 'json' }
import faults from './en/faults.json' with { type: 'json' }
import filter from './en/filter.json' with { type: 'json' }
import home from './en/home.json' with { type: 'json' }
import notifications from './en/notifications.json' with { type: 'json' }
import preferences from './en/preferences.json' with { type: 'json' }
import settings from './en/settings.json' with { type: 'json' }
import shell from './en/shell.json' with { type: 'json' }
import ui from './en/ui.json' with { type: 'json' }
import unsorted from './en/unsorted.json' with { type: 'json' }
import views from './en/views.json' with { type: 'json' }

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
