"""The plainest questions in German, French, Spanish and Italian. Answers are English: the model knows little else."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from training.draw import Draw
from training.kinds import facts
from training.kinds.actions import Action, set_matrix
from training.kinds.facts import DISK, HOME, HOT, MEMORY, OUTCOMES, UPTIME
from training.scene import Scene, shown

LANGUAGES = ("de", "fr", "es", "it")
LED = {
    ("de", True): "{schalte|mach|schalt} {bitte |}{die LED|das Licht|die eingebaute LED|die Lampe} {ein|an}{ bitte|}|LED {an|ein}{ bitte|}|kannst du die LED {einschalten|anmachen}",
    ("de", False): "{schalte|mach|schalt} {bitte |}{die LED|das Licht|die eingebaute LED|die Lampe} aus{ bitte|}|LED aus{ bitte|}|kannst du die LED {ausschalten|ausmachen}",
    ("fr", True): "{allume|active|allumez} {la LED|la lumière|la lampe|la LED intégrée}{ s'il te plaît|}|peux-tu allumer la LED",
    ("fr", False): "{éteins|désactive|éteignez} {la LED|la lumière|la lampe|la LED intégrée}{ s'il te plaît|}|peux-tu éteindre la LED",
    ("es", True): "{enciende|activa|prende} {el LED|la luz|el LED integrado|la lámpara}{, por favor| por favor|}|¿puedes encender el LED?",
    ("es", False): "{apaga|desactiva} {el LED|la luz|el LED integrado|la lámpara}{, por favor| por favor|}|¿puedes apagar el LED?",
    ("it", True): "{accendi|attiva} {il LED|la luce|il led integrato|la lampada}{, per favore| per favore|}|puoi accendere il LED?",
    ("it", False): "{spegni|disattiva} {il LED|la luce|il led integrato|la lampada}{, per favore| per favore|}|puoi spegnere il LED?",
}  # fmt: skip
PATTERNS = {
    "de": {"check": "{einen Haken|ein Häkchen|den Haken}", "x": "{ein X|ein Kreuz|das X}", "smiley": "{einen Smiley|ein lachendes Gesicht|ein Smiley}"},
    "fr": {"check": "{une coche|une coche verte}", "x": "{un X|une croix}", "smiley": "{un smiley|un visage souriant|un sourire}"},
    "es": {"check": "{una marca|una marca de verificación|un visto}", "x": "{una X|una cruz}", "smiley": "{una carita feliz|un smiley|una cara sonriente}"},
    "it": {"check": "{una spunta|un segno di spunta}", "x": "{una X|una croce}", "smiley": "{uno smiley|una faccina|una faccia sorridente}"},
}  # fmt: skip
DIGIT = {
    "de": "{die Zahl|die Ziffer|eine} ",
    "fr": "{le chiffre|le nombre|un} ",
    "es": "{el número|el dígito|un} ",
    "it": "{il numero|la cifra|un} ",
}
SHOW = {
    "de": "{zeige|zeig|zeichne} {bitte |}{what} {auf der Matrix|auf der LED-Matrix|auf dem Display|}",
    "fr": "{affiche|montre|dessine} {what} {sur la matrice|sur la matrice LED|sur l'écran|}",
    "es": "{muestra|dibuja|pon} {what} {en la matriz|en la matriz LED|en la pantalla|}",
    "it": "{mostra|disegna|fai vedere} {what} {sulla matrice|sulla matrice LED|sul display|}",
}
CLEAR = {
    "de": "{lösche|leere} die {Matrix|LED-Matrix|Anzeige}|{mach|schalte} die Matrix aus",
    "fr": "{efface|vide|éteins} {la matrice|l'écran}",
    "es": "{borra|limpia|apaga} {la matriz|la pantalla}",
    "it": "{cancella|pulisci|spegni} {la matrice|il display}",
}
FACTS = {
    ("de", HOME): "wie viel {Platz|Speicherplatz|Speicher} ist {auf|in} /home {noch |}frei|wie viele GB sind auf /home {noch |}frei",
    ("de", DISK): "wie viel {Platz|Speicherplatz} ist {auf der Platte|auf der Festplatte|auf dem Datenträger} {noch |}frei|wie voll ist die {Platte|Festplatte}",
    ("de", MEMORY): "wie viel {RAM|Arbeitsspeicher} ist {noch |}frei",
    ("de", HOT): "wie {warm|heiß} ist {die CPU|der Prozessor|das Board|der Chip}|welche Temperatur hat {die CPU|der Prozessor}",
    ("de", UPTIME): "wie lange läuft {das Board|das System|der Rechner} {schon|}",
    ("fr", HOME): "combien {d'espace|de place} {est libre|reste-t-il} {sur|dans} /home",
    ("fr", DISK): "combien {d'espace|de place} {est libre|reste-t-il} sur le disque",
    ("fr", MEMORY): "combien de {mémoire|RAM} {est libre|reste-t-il}",
    ("fr", HOT): "quelle est la température {du processeur|du CPU|de la carte}",
    ("fr", UPTIME): "depuis combien de temps {la carte|le système} {fonctionne|tourne}",
    ("es", HOME): "¿cuánto espacio {libre hay|queda} en /home?",
    ("es", DISK): "¿cuánto espacio {libre hay|queda} en el disco?",
    ("es", MEMORY): "¿cuánta {memoria|RAM} {libre hay|queda}?",
    ("es", HOT): "¿{cuál es la temperatura|qué temperatura tiene} {del procesador|de la CPU|de la placa}?",
    ("es", UPTIME): "¿cuánto tiempo lleva {encendida la placa|encendido el sistema}?",
    ("it", HOME): "quanto spazio {libero c'è|resta|è libero} {su|in} /home?",
    ("it", DISK): "quanto spazio {libero c'è|resta|è libero} sul disco?",
    ("it", MEMORY): "quanta {memoria|RAM} {è libera|resta}?",
    ("it", HOT): "{qual è la temperatura|che temperatura ha} {della CPU|del processore|della scheda}?",
    ("it", UPTIME): "da quanto tempo è {accesa la scheda|acceso il sistema}?",
}  # fmt: skip
SIGNS = {
    "de": {"+": "plus", "-": "minus", "*": "mal", "/": "{geteilt durch|durch}"},
    "fr": {"+": "plus", "-": "moins", "*": "{fois|multiplié par}", "/": "divisé par"},
    "es": {"+": "más", "-": "menos", "*": "{por|multiplicado por}", "/": "{dividido por|entre}"},
    "it": {"+": "più", "-": "meno", "*": "{per|moltiplicato per}", "/": "diviso"},
}
HOW_MUCH = {
    "de": "{wie viel ist|was ist|was ergibt|berechne|rechne} ",
    "fr": "{combien font|calcule|combien fait} ",
    "es": "{cuánto es|¿cuánto es|calcula} ",
    "it": "{quanto fa|calcola|quanto è} ",
}
LIMITS = {
    "de": "wenn auf {place} {op} als {n} GB frei sind, {then}, sonst {other}",
    "fr": "s'il y a {op} de {n} Go libres sur {place}, {then}, sinon {other}",
    "es": "si hay {op} de {n} GB libres en {place}, {then}, si no {other}",
    "it": "se ci sono {op} di {n} GB liberi su {place}, {then}, altrimenti {other}",
}
MORE = {"de": ("mehr", "weniger"), "fr": ("plus", "moins"), "es": ("más", "menos"), "it": ("più", "meno")}
DISKS = {"de": "der Platte", "fr": "le disque", "es": "el disco", "it": "il disco"}


def _show(draw: Draw, language: str, pattern: str) -> str:
    if pattern == "off":
        return draw.either(CLEAR[language])
    what = PATTERNS[language].get(pattern) or DIGIT[language] + pattern
    return draw.pick(SHOW[language].replace("{what}", what))


def foreign(scene: Scene) -> None:
    draw = scene.draw
    language = draw.choice(LANGUAGES)
    kind = draw.random()
    if kind < 0.25:
        state = draw.maybe(0.5)
        asked = draw.either(LED[language, state])
        scene.ask(_end(draw, asked))
        scene.say(Action(asked, state).do(scene) + ".")
    elif kind < 0.5:
        pattern = draw.choice(["check", "x", "smiley", "off", *"0123456789"])
        asked = _show(draw, language, pattern)
        scene.ask(_end(draw, asked))
        scene.say(Action(asked, pattern).do(scene) + ".")
    elif kind < 0.7:
        key = draw.of(HOME, HOME, DISK, MEMORY, HOT, UPTIME)
        scene.ask(_end(draw, draw.either(FACTS[language, key]), "?"))
        scene.say(facts.sentence(key, facts.look(scene)))
    elif kind < 0.85:
        a, b, sign = draw.randint(2, 200), draw.randint(2, 99), draw.choice("+-**/")
        scene.ask(_end(draw, draw.pick(f"{HOW_MUCH[language]}{a} {SIGNS[language][sign]} {b}"), "?"))
        scene.say(f"The result is {shown(scene.calculate(f'{a} {sign} {b}'))}.")
    else:
        key = draw.of(HOME, HOME, DISK)
        value = facts.look(scene, HOT)[key]
        scene.messages.clear()
        more = draw.maybe(0.65)
        operator = ">" if more else "<"
        number = draw.of(1, 2, 3, 5, 8, 10, 15, 20, max(1, round(value)))
        one, two = draw.of(("check", "x"), ("smiley", "x"), ("1", "0"), ("x", "check"))
        second = draw.pick(PATTERNS[language].get(two) or DIGIT[language] + two)
        place = "/home" if key == HOME else DISKS[language]
        text = LIMITS[language].replace("{op}", MORE[language][0 if more else 1]).replace("{n}", str(number))
        scene.ask(
            _end(
                draw,
                text.replace("{place}", place).replace("{then}", _show(draw, language, one)).replace("{other}", second),
            )
        )
        facts.look(scene)
        holds = scene.calculate(f"{value} {operator} {number}")
        action = set_matrix(draw, one if holds else two)
        action.do(scene)
        scene.say(
            f"{facts.first_up(facts.clause(key, scene.facts))}, {OUTCOMES[operator, holds]} {number} GB, so {action.done}."
        )


def _end(draw: Draw, text: str, sign: str = ".") -> str:
    text = text.strip()
    text = text[:1].upper() + text[1:] if draw.maybe(0.75) else text
    return text if text[-1] in "?!." else text + draw.of(sign, sign, "", "!" if sign == "." else sign)
