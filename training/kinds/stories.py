"""Word problems: a story with two or three numbers and the one expression that answers its question."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from training.draw import WORDS, Draw
from training.scene import Scene, shown

NAMES = [
    "Anna",
    "Ben",
    "Carla",
    "Dario",
    "Elena",
    "Farid",
    "Gina",
    "Hugo",
    "Ines",
    "Jonas",
    "Kai",
    "Lea",
    "Marco",
    "Nina",
    "Omar",
    "Paula",
    "Rosa",
    "Sam",
    "Tom",
    "Yuki",
]
THINGS = [
    "apples",
    "pens",
    "resistors",
    "cables",
    "stickers",
    "books",
    "eggs",
    "sensors",
    "screws",
    "batteries",
    "coins",
    "cookies",
    "tickets",
    "boxes",
    "motors",
    "bottles",
    "LEDs",
    "buttons",
    "nails",
    "marbles",
    "cards",
    "chairs",
    "flowers",
    "oranges",
    "wires",
    "jumpers",
    "magnets",
]


def story(draw: Draw) -> tuple[str, str]:
    """A story, and its expression."""
    a, b, c = draw.randint(2, 99), draw.randint(2, 60), draw.randint(2, 20)
    more = draw.randint(a, 400)
    price = draw.of(str(draw.randint(2, 40)), f"{draw.uniform(0.2, 40):.1f}", f"{draw.uniform(0.2, 40):.2f}")
    money = draw.of("euros", "dollars", "€", "euros", "francs", "pounds")
    things, others = draw.sample(THINGS, 2)
    one = things[:-1]
    who, whom = draw.sample(NAMES, 2)
    n, m = draw.wordy(c), draw.wordy(draw.randint(2, 12))
    mm = WORDS.index(m) if m in WORDS else m
    part = draw.randint(1, a)
    percent = draw.of(5, 10, 15, 20, 25, 30, 40, 50, 60, 75, draw.randint(2, 95))
    each = draw.of("each", "apiece", "per piece", "a piece")
    total = draw.of("in total", "altogether", "in all", "together")
    addition = [
        (
            f"{who} has {a} {things} and {draw.of('buys', 'gets', 'finds', 'receives', 'collects')} {b} more. How many {things} {draw.of('does ' + who + ' have', 'are there', 'are that')} now?",
            f"{a} + {b}",
        ),
        (f"{a} {things} and {b} {others}: how many {draw.of('things', 'pieces', 'items')} {total}?", f"{a} + {b}"),
        (
            f"There are {a} {things} in one {draw.of('box', 'bag', 'drawer')} and {b} in {draw.of('another', 'the other')}. How many is that {total}?",
            f"{a} + {b}",
        ),
        (f"{who} is {a} years old and {whom} is {b} years older. How old is {whom}?", f"{a} + {b}"),
        (
            f"I {draw.of('walked', 'ran', 'cycled')} {a} km on Monday and {b} km on Tuesday. How far did I go {total}?",
            f"{a} + {b}",
        ),
        (f"It was {a} degrees in the morning and got {c} degrees warmer. What temperature is it now?", f"{a} + {c}"),
    ]
    subtraction = [
        (
            f"{who} has {a} {things} and {draw.of('gives', 'hands', 'sells', 'sends')} {part} to {whom}. How many {draw.of('are left', 'remain', 'does ' + who + ' still have')}?",
            f"{a} - {part}",
        ),
        (
            f"{who} had {more} {things}, {a} {draw.of('broke', 'got lost', 'were sold', 'were eaten', 'were stolen')}. How many are left?",
            f"{more} - {a}",
        ),
        (
            f"{draw.of('A hall', 'A theater', 'The train', 'A plane', 'The parking lot')} has {more} places, {a} are {draw.of('occupied', 'sold', 'booked', 'taken')}. How many are {draw.of('empty', 'left', 'free')}?",
            f"{more} - {a}",
        ),
        (
            f"{who} has {more} {money} and {draw.of('spends', 'pays', 'loses')} {price}. How much is left?",
            f"{more} - {price}",
        ),
        (f"{who} pays with a {draw.of('50', '100', '200')} {money} note", ""),
        (
            f"{whom} is {more} cm tall, {who} is {c} cm {draw.of('shorter', 'smaller')}. How tall is {who}?",
            f"{more} - {c}",
        ),
        (
            f"A book has {more} pages and {who} has read {a}. How many pages {draw.of('are left', 'remain', 'are still to read')}?",
            f"{more} - {a}",
        ),
        (
            f"A {draw.of('rope', 'cable', 'board', 'pipe')} of {more} cm is cut off by {a} cm. How long is it now?",
            f"{more} - {a}",
        ),
        (f"How many more {things} are {more} than {a}?", f"{more} - {a}"),
        (f"It is {a} degrees inside and {b} degrees outside. What is the difference?", f"{a} - {b}"),
    ]
    product = [
        (
            f"{draw.of('One', 'A single', 'Each', 'Every')} {one} costs {price} {money}. {draw.of('How much do', 'What do')} {a} {things} cost?",
            f"{price} * {a}",
        ),
        (
            f"{draw.of('If ', '')}{a} {things} cost {price} {money} {each}, {draw.of('what is the total', 'how much is that ' + total, 'what do they cost ' + total)}?",
            f"{a} * {price}",
        ),
        (f"{m} {things} cost {price} {money} {each}. What do they cost {total}?".capitalize(), f"{mm} * {price}"),
        (
            f"I bought {m} {things} at {price} {money} {each}. {draw.of('How much did I pay', 'What did I spend', 'What was the bill')}?",
            f"{mm} * {price}",
        ),
        (
            f"A {draw.of('car', 'train', 'bus', 'bike', 'boat', 'drone')} {draw.of('drives', 'goes', 'moves', 'travels')} {draw.of('at ', 'with ', '')}{a} km/h for {n} hours. How far does it {draw.of('go', 'get', 'come')}?",
            f"{a} * {c}",
        ),
        (
            f"A {draw.of('robot', 'snail', 'toy car', 'conveyor belt', 'drone')} {draw.of('moves', 'drives', 'covers', 'goes')} {a} {draw.of('cm', 'm', 'mm')} {draw.of('a', 'per', 'every', 'each')} {draw.of('second', 'minute')}. How far does it get in {b} {draw.of('seconds', 'minutes')}?",
            f"{a} * {b}",
        ),
        (
            f"There are {a} {draw.of('boxes', 'bags', 'packs', 'drawers')} with {b} {things} {draw.of('each', 'in each')}. How many {things} {draw.of('in total', 'altogether', 'is that', 'are there')}?",
            f"{a} * {b}",
        ),
        (
            f"{draw.of('Each', 'Every')} {draw.of('student', 'child', 'guest', 'team', 'robot')} {draw.of('gets', 'needs', 'uses', 'receives')} {n} {things}. How many {things} for {a} of them?",
            f"{c} * {a}",
        ),
        (
            f"We need {n} {things} per {draw.of('kit', 'board', 'robot', 'project')} for {a} {draw.of('kits', 'boards', 'robots', 'projects')}. How many {things} is that?",
            f"{c} * {a}",
        ),
        (
            f"A room is {a} m {draw.of('long and', 'by')} {b} m{draw.of(' wide', '')}. What is {draw.of('its area', 'the area')}?",
            f"{a} * {b}",
        ),
        (
            f"{draw.of('A rectangle', 'A field', 'A garden', 'A screen')} measures {a} by {b} {draw.of('meters', 'cm', 'units')}. {draw.of('What is its area', 'How large is it')}?",
            f"{a} * {b}",
        ),
        (
            f"A {draw.of('shelf', 'parking lot', 'wall', 'field')} has {n} rows {draw.of('of', 'with')} {a} {things}{draw.of(' each', '')}. How many {things} are there?",
            f"{c} * {a}",
        ),
        (
            f"{who} earns {price} {money} {draw.of('an hour', 'per hour')} and works {a} hours. {draw.of('How much is that', 'What is the pay', 'How much money is it')}?",
            f"{price} * {a}",
        ),
        (
            f"{who} {draw.of('reads', 'writes', 'solders', 'prints', 'saves', 'walks')} {n} {draw.of('pages', 'parts', 'euros', 'km')} {draw.of('a day', 'per day', 'every day')}. How {draw.of('much', 'many')} is that in {a} days?",
            f"{c} * {a}",
        ),
        (
            f"A {draw.of('sensor', 'board', 'motor', 'lamp')} {draw.of('draws', 'uses')} {a} mA at {c} V. How many milliwatts is that?",
            f"{a} * {c}",
        ),
        (
            f"A pump {draw.of('moves', 'delivers')} {a} liters {draw.of('a', 'per')} minute. How many liters in {b} minutes?",
            f"{a} * {b}",
        ),
        (
            f"A log {draw.of('takes', 'stores')} {a} readings {draw.of('a', 'per', 'every')} hour. How many are that in {b} hours?",
            f"{a} * {b}",
        ),
        (f"The heart beats {a} times a minute. How often in {b} minutes?", f"{a} * {b}"),
        (f"A box is {a} cm by {b} cm by {c} cm. What's its volume?", f"{a} * {b} * {c}"),
        (f"A square has sides of {a} {draw.of('m', 'cm')}. What is {draw.of('its area', 'the area')}?", f"{a} ** 2"),
        (
            f"A ticket is {price} {money}. {draw.of('What do', 'How much are')} {m} of them{draw.of(' cost', '')}?",
            f"{price} * {mm}",
        ),
    ]
    division = [
        (
            f"{who} {draw.of('splits', 'shares', 'divides', 'hands out')} {a * c} {things} {draw.of('equally ', '')}{draw.of('among', 'between')} {n} {draw.of('people', 'friends', 'kids', 'students')}. How many does each get?",
            f"{a * c} / {c}",
        ),
        (
            f"{a * c} {things} are {draw.of('shared', 'split', 'divided', 'distributed')} {draw.of('equally', 'evenly', 'fairly')} {draw.of('by', 'among', 'between')} {n} {draw.of('students', 'friends', 'teams', 'children')}. How many {draw.of('does each get', 'for each', 'are that for everyone')}?",
            f"{a * c} / {c}",
        ),
        (
            f"{a} {things} cost {price} {money} {total}. {draw.of('How much is each', 'What does one cost', 'What is the unit price', 'What is the price of one')}?",
            f"{price} / {a}",
        ),
        (
            f"{draw.of('A bag of', 'A box with', 'A pack of', who + ' got a set of')} {a} {things} {draw.of('is', 'costs', 'for')} {price} {money}. What is the price {draw.of('per piece', 'of each', 'for a single one', 'of one ' + one)}?",
            f"{price} / {a}",
        ),
        (
            f"A {draw.of('car', 'train', 'runner', 'truck')} covers {a * c} km in {n} hours. What is its {draw.of('average ', '')}speed?",
            f"{a * c} / {c}",
        ),
        (
            f"{who} reads {n} pages {draw.of('a day', 'per day', 'every day')}. How many days for {a * c} pages?",
            f"{a * c} / {c}",
        ),
        (
            f"How many {draw.of('boxes', 'bags', 'packs')} of {n} {things} can be {draw.of('filled', 'made', 'packed')} from {a * c} {things}?",
            f"{a * c} / {c}",
        ),
        (f"{a * c} {things} fit into {n} {draw.of('boxes', 'bags', 'trays')}. How many are in each?", f"{a * c} / {c}"),
        (
            f"A {draw.of('rope', 'cable', 'strip', 'pipe')} of {a * c} cm is cut into {n} equal {draw.of('parts', 'pieces')}. How long is {draw.of('each', 'a piece', 'one piece')}?",
            f"{a * c} / {c}",
        ),
        (
            f"{draw.of('The bill', 'A dinner', 'The rent')} of {more} {money} is shared by {n} {draw.of('people', 'friends')}. What does each pay?",
            f"{more} / {c}",
        ),
        (f"{n} {things} weigh {more} grams {total}. What does one weigh?", f"{more} / {c}"),
        (f"{a * c} students are put into groups of {n}. How many groups are there?", f"{a * c} / {c}"),
    ]
    conversion = [
        (f"How many {draw.of('minutes', 'min')} are {draw.of('in ', 'there in ')}{a} hours?", f"{a} * 60"),
        (f"How many seconds are in {a} {draw.of('minutes', 'min')}?", f"{a} * 60"),
        (f"{draw.of('Convert', 'Change')} {n} hours {draw.of('to', 'into')} seconds", f"{c} * 3600"),
        (f"How many seconds {draw.of('are in', 'does it take for', 'are')} {n} hours?", f"{c} * 3600"),
        (f"How many hours are in {a} days?", f"{a} * 24"),
        (f"How many days are {n} weeks?", f"{c} * 7"),
        (f"How many {draw.of('meters', 'metres')} are {a} kilometers?", f"{a} * 1000"),
        (f"How many {draw.of('centimeters', 'cm')} are {price} meters?", f"{price} * 100"),
        (f"How many grams are {price} {draw.of('kilograms', 'kg')}?", f"{price} * 1000"),
        (
            f"{draw.of('Convert', 'What is', 'How much is')} {a} degrees Celsius {draw.of('to', 'in')} Fahrenheit?",
            f"{a} * 9 / 5 + 32",
        ),
        (f"{a * 60} minutes, how many hours is that?", f"{a * 60} / 60"),
    ]
    mixed = [
        (f"I have {a} {things}, {b} {draw.of('more arrive', 'more come in', 'are added')} and {c} {draw.of('break', 'get lost', 'are sold')}. How many {draw.of('remain', 'are left')}?", f"{a} + {b} - {c}"),
        (f"{draw.of('I pay', 'The bill is', 'A meal costs')} {price} {money} plus {percent}% tip. What's the total?", f"{price} * (1 + {percent}%)"),
        (f"{draw.of('Something', 'A jacket', 'A kit', 'The board')} costs {more} {money} and is {draw.of('reduced by ', '')}{percent}%{draw.of(' off', ' cheaper today')}. {draw.of('What is the new price', 'How much is it now')}?".replace("reduced by", "by"), f"{more} * (1 - {percent}%)"),
        (f"{percent}% of {more} {draw.of('students', 'people', 'voters', 'guests', 'parts')} {draw.of('passed', 'came', 'said yes', 'are defective')}. How many {draw.of('is that', 'are that', 'were there')}?", f"{percent}% of {more}"),
        (f"A {a * 50} mAh battery is {draw.of('at', 'charged to')} {percent}%. How many mAh {draw.of('remain', 'are left', 'does it hold')}?", f"{percent}% of {a * 50}"),
        (f"A {draw.of('tank', 'barrel', 'bottle')} {draw.of('holds', 'takes')} {more} liters and is {percent}% full. How many liters are in it?", f"{percent}% of {more}"),
        (f"{who} buys {m} {things} for {price} {money} {each} and a {draw.of('bag', 'book')} for {a}. What is the total?", f"{mm} * {price} + {a}"),
        (f"{who} has {more} {money} and buys {m} {things} at {c} each. How much {draw.of('is left', 'remains')}?", f"{more} - {mm} * {c}"),
        (f"A fence goes around a garden of {a} m by {b} m. How long is the fence?", f"2 * ({a} + {b})"),
        (f"{who} {draw.of('scored', 'got')} {a}, {b} and {c} points. What is the average?", f"mean({a}, {b}, {c})"),
    ]  # fmt: skip
    said, expression = draw.choice(
        draw.choice([addition, subtraction, product, product, division, division, conversion, mixed])
    )
    if not expression:
        note = draw.of(50, 100, 200)
        said, expression = (
            f"{who} pays {price} {money} with a {note} {money} note. How much change {draw.of('comes back', 'is that', 'does ' + who + ' get')}?",
            f"{note} - {price}",
        )
    return said, expression


def word_problem(scene: Scene) -> None:
    draw = scene.draw
    said, expression = story(draw)
    said = said[:1].upper() + said[1:]
    scene.ask(said if draw.maybe(0.8) else draw.written(said))
    scene.say(f"The result is {shown(scene.calculate(expression))}.")
