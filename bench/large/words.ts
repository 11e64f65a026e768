// The words of names and texts: Latin and Cyrillic, some with accents.
const list = (text: string): readonly string[] => text.trim().split(/\s+/)

export const firstNames = list(`
  Anna Maria José Zoë Chloé Renée Björn Søren Jürgen Łukasz Agnès Noël André Inés Óscar Peter John Mary James Linda Robert Susan David
  Karen Thomas Nancy Mark Laura Paul Emma Oliver Mia Lucas Ella Hugo Nora Felix Clara Simon Alice
  Анна Мария Иван Пётр Алексей Ольга Елена Сергей Дмитрий Наталья Андрей Юлия Михаил Ирина Николай Светлана Артём Полина Фёдор Ксения`)

export const lastNames = list(`
  Müller Schröder García Núñez Peña Dvořák Novák Åkesson Lindström Sørensen Gonçalves François Lefèvre Brontë Kowalski Wójcik Smith Johnson
  Williams Brown Jones Miller Davis Wilson Moore Taylor Anderson Jackson Harris Martin Thompson Clark Lewis Walker Young King Wright Hill
  Иванов Петров Сидоров Кузнецов Смирнов Попов Соколов Лебедев Козлов Новиков Морозов Волков Зайцев Соловьёв Виноградов Королёв Журавлёв`)

export const objects = list(`
  window door roof kitchen boiler lift server printer router cable generator pump conveyor press lathe crane trailer tractor container pallet
  licence audit survey training delivery repair installation design maintenance insurance café façade décor résumé
  окно дверь крыша кухня котёл лифт насос станок кран прицеп трактор лицензия аудит обучение доставка ремонт монтаж проект договор поставка`)

export const qualities = list(`
  large small urgent yearly monthly spare second third central northern southern wooden steel glass heavy light digital mobile custom standard
  большой малый срочный годовой новый запасной второй центральный северный южный стальной лёгкий цифровой типовой`)

export const streets = list(`
  Oak Elm Station Church Mill Park Garden River Bridge Market Castle Königsallee Champs-Élysées Ленина Садовая Невский Тверская Полевая`)

export const cities = list(
  `Hamburg Köln Paris Málaga Kraków Praha London Leeds Boston Denver Austin Москва Казань Пермь Омск Самара`,
)

export const firms = list(`
  Alpha Nord Orion Delta Vega Atlas Titan Metro Polar Terra Unica Prima Global Baltic Rhône Élan Вектор Старт Маяк Прогресс Квант Заря`)

export const forms = list(`Ltd GmbH Inc SA AB LLC ООО АО`)

/** Words that stand only in the names of few records. */
export const markers = {
  leads: 'Zephyrine',
  contacts: 'Quillfeather',
  companies: 'Brindlewick',
  cyrillic: 'Крыжополь',
} as const

/** Characters that stand only in the names of few leads, and of one lead in `between`. */
export const shortMarkers = { few: '§', between: '±' } as const
export const between = 700
